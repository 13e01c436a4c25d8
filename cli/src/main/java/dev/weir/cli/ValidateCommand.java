package dev.weir.cli;

import dev.weir.cli.terminal.Style;
import dev.weir.cli.terminal.Terminal;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Fault;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that checks configurations: prints their limits on standard output, all faults on standard error. */
@Command(
        name = "validate",
        description = "Check configurations and show their limits.",
        footer = {
            "",
            "Probable mistakes, such as a limit that can never apply, are warnings below the limits. Placeholders such as"
                    + " $${NAME:default} come from the environment.",
            "Examples: weir validate weir.yaml",
            "          weir validate --strict --format github config/*.yaml",
            "          generate-config | weir validate -",
            "Exit codes: 0 all can be used; 1 one cannot, and every reason is on standard error as"
                    + " FILE:LINE:COLUMN: message; with --strict also 1 for warnings."
        },
        mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
    private static final int LARGEST = 1 << 20;

    /** How results are printed. */
    enum Format {
        TEXT,
        JSON,
        GITHUB
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--strict", description = "Treat warnings as errors.")
    private boolean strict;

    @Option(names = "--json", description = "The same as --format json.")
    private boolean json;

    @Option(
            names = "--format",
            paramLabel = "text|json|github",
            description = "How results are printed; github makes annotations of a workflow (default: text).",
            defaultValue = "text")
    private Format format = Format.TEXT;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "The configurations, YAML files; - is standard input.")
    private List<String> files = List.of();

    /** A file, its text and what was found in it. */
    record Checked(String file, List<String> source, Result result, boolean isUsable) {
        List<Fault> faults() {
            return result instanceof Result.Rejected rejected ? rejected.faults() : List.of();
        }
    }

    @Override
    public Integer call() {
        if (files.stream().filter("-"::equals).count() > 1) {
            throw new ParameterException(spec.commandLine(), "- is standard input, which can be given only once");
        }
        List<Checked> checked = files.stream().map(this::check).toList();
        PrintWriter out = spec.commandLine().getOut();
        switch (json ? Format.JSON : format) {
            case TEXT -> checked.forEach(this::print);
            case JSON -> out.println(ValidationFormats.json(checked));
            case GITHUB -> ValidationFormats.github(checked, strict).forEach(out::println);
        }
        out.flush();
        spec.commandLine().getErr().flush();
        return checked.stream().allMatch(Checked::isUsable) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Checked check(String file) {
        Result result;
        List<String> source = new ArrayList<>();
        if (file.equals("-")) {
            try {
                byte[] bytes = System.in.readNBytes(LARGEST + 1);
                result = new ConfigurationReader().read("-", bytes);
                new String(bytes, StandardCharsets.UTF_8).lines().forEach(source::add);
            } catch (IOException e) {
                result = new Result.Rejected(List.of(new Fault("-", 1, 1, "standard input cannot be read: " + e)));
            }
        } else {
            result = new ConfigurationReader().read(Path.of(file));
            source.addAll(lines(Path.of(file)));
        }
        boolean isUsable = result instanceof Result.Accepted
                && (!strict || result.warnings().isEmpty());
        return new Checked(file, source, result, isUsable);
    }

    /** The lines of a file for excerpts; none if it cannot be read. */
    private static List<String> lines(Path file) {
        try {
            return Files.size(file) > LARGEST ? List.of() : Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }

    private void print(Checked checked) {
        Terminal terminal = Main.terminal(spec);
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter out = spec.commandLine().getOut();
        if (checked.result() instanceof Result.Rejected rejected) {
            rejected.faults()
                    .forEach(
                            fault -> show(err, fault, "", checked.source(), terminal.isError(), terminal.errorStyle()));
            err.flush();
            return;
        }
        if (files.size() > 1) {
            out.println((files.indexOf(checked.file()) == 0 ? "" : System.lineSeparator())
                    + terminal.style().bold(checked.file()) + ":");
        }
        LimitTable.lines(checked.result().orThrow()).forEach(out::println);
        List<Fault> warnings = checked.result().warnings();
        if (!warnings.isEmpty()) {
            String kind = strict ? "error: " : "warning: ";
            PrintWriter to = strict ? err : out;
            if (!strict) {
                out.println();
            }
            out.flush();
            warnings.forEach(warning -> show(
                    to,
                    warning,
                    kind,
                    checked.source(),
                    strict ? terminal.isError() : terminal.isOutput(),
                    strict ? terminal.errorStyle() : terminal.style()));
        }
    }

    /** A fault, and on a terminal the line of the file with a caret below the place. */
    private static void show(
            PrintWriter out, Fault fault, String kind, List<String> source, boolean isTerminal, Style style) {
        boolean isWarning = kind.startsWith("warning");
        String place = fault.file() + ":" + fault.line() + ":" + fault.column() + ": ";
        String styledKind = isWarning ? style.yellow(kind) : style.red(kind);
        out.println(styledKind + style.bold(place) + fault.message());
        if (isTerminal && fault.line() <= source.size()) {
            String number = Integer.toString(fault.line());
            String line = ValidationFormats.printable(source.get(fault.line() - 1));
            String caret = " ".repeat(Math.max(0, Math.min(fault.column() - 1, line.length()))) + "^";
            out.println(style.dim("  " + number + " | ") + line);
            out.println(style.dim("  " + " ".repeat(number.length()) + " | ")
                    + (isWarning ? style.yellow(caret) : style.red(caret)));
        }
    }
}
