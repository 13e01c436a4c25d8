package dev.weir.cli;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that checks a configuration: prints its limits on standard output, or all faults on standard error. */
@Command(
        name = "validate",
        description = "Check a configuration and show its limits.",
        footer = {
            "",
            "Exit codes: 0 it can be used; 1 it cannot, and every reason is on standard error as"
                    + " FILE:LINE:COLUMN: message. Probable mistakes, such as a limit that can never apply, are listed"
                    + " below the limits. Placeholders such as $${NAME:default} come from the environment."
        },
        mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "The configuration, a YAML file.")
    private Path file = Path.of("weir.yaml");

    @Override
    public Integer call() {
        Result result = new ConfigurationReader().read(file);
        if (result instanceof Result.Rejected rejected) {
            PrintWriter err = spec.commandLine().getErr();
            rejected.faults().forEach(err::println);
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
        Configuration configuration = result.orThrow();
        PrintWriter out = spec.commandLine().getOut();
        LimitTable.lines(configuration).forEach(out::println);
        if (!result.warnings().isEmpty()) {
            out.println();
            result.warnings().forEach(warning -> out.println("warning: " + warning));
        }
        out.flush();
        return CommandLine.ExitCode.OK;
    }
}
