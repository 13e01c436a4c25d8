package dev.weir.cli;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Presets;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that replays an access log against a configuration, to show what it would refuse. */
@Command(
        name = "simulate",
        description = "Replay an access log against a configuration and show what would be refused.",
        footer = {
            "",
            "Reads the common and combined formats of Apache and nginx (ip, user, method, path) and lines of JSON, whose"
                    + " fields are attributes; also gzipped. Uses the log's own time; stores and sends nothing.",
            "Example: weir simulate --config weir.yaml --set plan=free access.log",
            "Exit codes: 0 done, whatever was refused; 1 the configuration or the log cannot be used."
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class SimulateCommand implements Callable<Integer> {
    private static final int GZIP_MAGIC = 0x1f8b;
    private static final long LINES_BETWEEN_PROGRESS = 250_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a YAML file.")
    private @Nullable Path config;

    @Option(names = "--preset", paramLabel = "NAME", description = "A built-in configuration, instead of --config.")
    private @Nullable String preset;

    @Option(
            names = "--set",
            paramLabel = "key=value",
            description = "An attribute for every request whose line does not have it; channel is http unless set.")
    private Map<String, String> constants = new LinkedHashMap<>();

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Parameters(paramLabel = "ACCESS_LOG", description = "The log; - reads standard input.")
    private Path log = Path.of("-");

    private long number;
    private long skipped;
    private long firstSkipped;

    @Override
    public Integer call() {
        Result result = read();
        if (result instanceof Result.Rejected rejected) {
            rejected.faults().forEach(spec.commandLine().getErr()::println);
            spec.commandLine().getErr().flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
        constants.putIfAbsent("channel", "http");
        try (Simulation simulation = new Simulation(result.orThrow(), constants);
                InputStream input = open()) {
            replay(input, simulation);
            return tell(simulation, result.orThrow());
        } catch (NoSuchFileException e) {
            return fail("there is no log '" + log + "'");
        } catch (IOException e) {
            return fail("the log '" + log + "' cannot be read (" + e + ")");
        }
    }

    private Result read() {
        if ((config == null) == (preset == null)) {
            throw new ParameterException(
                    spec.commandLine(), "give either --config FILE or --preset NAME: the configuration to simulate");
        }
        try {
            return config != null
                    ? new ConfigurationReader().read(config)
                    : new ConfigurationReader()
                            .read("presets/" + preset + ".yaml", Presets.text(String.valueOf(preset)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private InputStream open() throws IOException {
        InputStream input =
                new BufferedInputStream(log.toString().equals("-") ? System.in : Files.newInputStream(log), 1 << 16);
        input.mark(2);
        boolean isZipped = (input.read() << 8 | input.read()) == GZIP_MAGIC;
        input.reset();
        return isZipped ? new GZIPInputStream(input, 1 << 16) : input;
    }

    private void replay(InputStream input, Simulation simulation) throws IOException {
        BoundedLines lines = new BoundedLines(new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8)));
        for (String line = lines.next(); line != null; line = lines.next()) {
            number++;
            if (!line.isBlank()) {
                take(line, simulation);
            }
            if (number % LINES_BETWEEN_PROGRESS == 0) {
                spec.commandLine().getErr().printf("%,d lines, %,d refused so far%n", number, simulation.refused());
                spec.commandLine().getErr().flush();
            }
        }
    }

    private void take(String line, Simulation simulation) {
        LoggedRequest visit = AccessLogParser.read(line);
        try {
            if (visit != null) {
                simulation.add(visit);
                return;
            }
        } catch (IllegalArgumentException e) {
            // A request that no engine accepts, such as one with an attribute of ten thousand characters.
        }
        firstSkipped = skipped == 0 ? number : firstSkipped;
        skipped++;
    }

    private int tell(Simulation simulation, Configuration configuration) {
        if (simulation.first() == null) {
            return fail(
                    number == 0
                            ? "the log '" + log + "' is empty"
                            : "no line of '" + log
                                    + "' was understood; it must be in the common or combined log format,"
                                    + " or JSON with a time in every line");
        }
        PrintWriter out = spec.commandLine().getOut();
        SimulationReport report = new SimulationReport(simulation, skipped, firstSkipped);
        if (json) {
            out.println(report.json());
        } else {
            report.lines().forEach(out::println);
            if (!configuration.enabled()) {
                out.println();
                out.println("The configuration is not enabled: everything passes untouched.");
            }
        }
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private int fail(String message) {
        spec.commandLine().getErr().println("weir: " + message);
        spec.commandLine().getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }
}
