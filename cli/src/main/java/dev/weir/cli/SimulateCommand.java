package dev.weir.cli;

import dev.weir.cli.log.LogFiles;
import dev.weir.cli.log.LogFiles.LogReadException;
import dev.weir.cli.log.LogOrderException;
import dev.weir.cli.log.LoggedRequest;
import dev.weir.cli.simulation.Comparison;
import dev.weir.cli.simulation.Simulation;
import dev.weir.cli.simulation.SimulationJson;
import dev.weir.cli.simulation.SimulationPage;
import dev.weir.cli.simulation.SimulationText;
import dev.weir.cli.simulation.Suggestion;
import dev.weir.cli.simulation.SuggestionText;
import dev.weir.cli.terminal.ProgressLine;
import dev.weir.cli.terminal.Terminal;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that replays access logs against a configuration, to show what it would refuse. */
@Command(
        name = "simulate",
        description = "Replay access logs against a configuration and show what would be denied.",
        footer = {
            "",
            "Reads the common and combined formats of Apache and nginx (ip, user, method, path) and lines of JSON, whose"
                    + " fields are attributes; also gzipped. Several files are merged by time. Uses the log's own time;"
                    + " stores and sends nothing. Lines a little out of order are sorted.",
            "Examples: weir simulate --config weir.yaml --set plan=free access.log",
            "          weir simulate --config new.yaml --against weir.yaml --html report.html access.log*",
            "          zcat access.log.*.gz | weir simulate --preset ai-saas --suggest -",
            "Exit codes: 0 done, whatever was denied; 1 the configuration or the log cannot be used."
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class SimulateCommand implements Callable<Integer> {
    private static final int LINES_BETWEEN_LOOKS = 1_024;
    private static final int MOST_REPLAYS = 8;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a YAML file.")
    private @Nullable Path config;

    @Option(names = "--preset", paramLabel = "NAME", description = "A built-in configuration, instead of --config.")
    private @Nullable String preset;

    @Option(
            names = "--against",
            paramLabel = "FILE",
            description =
                    "Another configuration, such as the one in use: shows which requests are decided differently.")
    private @Nullable Path against;

    @Option(
            names = "--set",
            paramLabel = "key=value",
            description = "An attribute for every request whose line does not have it; channel is http unless set.")
    private List<String> given = List.of();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also write a report with charts: one page that needs nothing else.")
    private @Nullable Path html;

    @Option(
            names = "--suggest",
            description = "Propose rates that deny at most 0.1 %%, and replay the log to confirm them.")
    private boolean suggest;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Parameters(
            paramLabel = "ACCESS_LOG",
            arity = "1..*",
            description = "The logs, of one or several servers, in any order; - reads standard input.")
    private List<String> logs = List.of();

    private Terminal terminal = Terminal.NONE;
    private Map<String, String> constants = Map.of();

    @Override
    public Integer call() {
        terminal = Main.terminal(spec);
        if (logs.stream().filter("-"::equals).count() > 1) {
            throw new ParameterException(spec.commandLine(), "- is standard input, which can be given only once");
        }
        constants = AttributeArguments.parse(given, spec.commandLine());
        constants.putIfAbsent("channel", "http");
        Result result = read();
        Result other = against == null ? null : new ConfigurationReader().read(against);
        boolean isBad = isRejected(result);
        boolean isOtherBad = other != null && isRejected(other);
        if (isBad || isOtherBad) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        try {
            return run(result.orThrow(), other == null ? null : other.orThrow());
        } catch (LogOrderException e) {
            return fail(String.valueOf(e.getMessage()));
        } catch (LogReadException e) {
            return fail(
                    e.getCause() instanceof NoSuchFileException
                            ? "there is no log '" + e.name() + "'"
                            : "the log '" + e.name() + "' cannot be read (" + e.getCause() + ")");
        } catch (IOException e) {
            return fail("--html " + html + " cannot be written (" + e + ")");
        }
    }

    private boolean isRejected(Result result) {
        if (result instanceof Result.Rejected rejected) {
            rejected.faults().forEach(spec.commandLine().getErr()::println);
            spec.commandLine().getErr().flush();
            return true;
        }
        return false;
    }

    private Result read() {
        if ((config == null) == (preset == null)) {
            throw new ParameterException(
                    spec.commandLine(), "give either --config FILE or --preset NAME: the configuration to simulate");
        }
        try {
            return config != null
                    ? new ConfigurationReader().read(config)
                    : new ConfigurationReader().preset(String.valueOf(preset));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private int run(Configuration configuration, @Nullable Configuration other) throws IOException {
        try (LogFiles log = LogFiles.open(logs, System.in);
                Simulation simulation = new Simulation(configuration, constants);
                Simulation before = other == null ? null : new Simulation(other, constants)) {
            Comparison comparison = before == null ? null : new Comparison(before, simulation);
            replay(log, comparison == null ? simulation::add : comparison::add);
            simulation.end();
            if (simulation.first() == null) {
                return fail(unusable(log));
            }
            SuggestionText suggestion = suggest ? suggestion(simulation) : null;
            print(simulation, log, comparison, suggestion);
            if (html != null) {
                String name = config == null ? "preset " + preset : config.toString();
                Files.writeString(html, SimulationPage.of(simulation, comparison, name));
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void replay(LogFiles log, Consumer<LoggedRequest> decide) throws LogReadException {
        ProgressLine progress = new ProgressLine(spec.commandLine().getErr(), terminal);
        long began = System.nanoTime();
        long count = 0;
        try {
            for (LoggedRequest request = log.next(); request != null; request = log.next()) {
                decide.accept(request);
                count++;
                if (count % LINES_BETWEEN_LOOKS == 0 && progress.isDue()) {
                    progress.show(progress(log, (System.nanoTime() - began) / 1e9));
                }
            }
        } finally {
            progress.clear();
        }
    }

    /** {@code 12,345,678 lines, 512,000 a second, 45 %, 12 s left}. */
    private static String progress(LogFiles log, double seconds) {
        String done = String.format(Locale.ROOT, "%,d lines, %,.0f a second", log.lines(), log.lines() / seconds);
        if (log.length() == 0) {
            return done;
        }
        double share = Math.min(1, (double) log.bytesRead() / log.length());
        return done + String.format(Locale.ROOT, ", %.0f %%, %.0f s left", share * 100, seconds / share * (1 - share));
    }

    /** Raises the proposed rates until a replay refuses little enough. Standard input cannot be read again. */
    private SuggestionText suggestion(Simulation simulation) throws LogReadException {
        Suggestion suggestion = Suggestion.of(simulation);
        if (logs.contains("-")) {
            return new SuggestionText(suggestion, null);
        }
        for (int i = 1; ; i++) {
            try (LogFiles log = LogFiles.open(logs, System.in);
                    Simulation replay = new Simulation(suggestion.applyTo(simulation.configuration()), constants)) {
                replay(log, replay::add);
                if (i == MOST_REPLAYS || !suggestion.isTooLow(replay)) {
                    return new SuggestionText(suggestion, replay.end());
                }
                suggestion = suggestion.raised(replay);
            }
        }
    }

    private void print(
            Simulation simulation, LogFiles log, @Nullable Comparison comparison, @Nullable SuggestionText suggestion) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json text = Json.newObject(4_096);
            SimulationJson.write(text, simulation, log);
            if (comparison != null) {
                comparison.write(text);
            }
            if (suggestion != null) {
                suggestion.write(text);
            }
            out.println(new String(text.close('}').bytes(), StandardCharsets.UTF_8));
        } else {
            SimulationText.lines(simulation, log, terminal.style()).forEach(out::println);
            if (comparison != null) {
                out.println();
                comparison.lines(terminal.style()).forEach(out::println);
            }
            if (suggestion != null) {
                out.println();
                suggestion.lines(terminal.style()).forEach(out::println);
            }
            if (!simulation.configuration().enabled()) {
                out.println();
                out.println("The configuration is not enabled: everything passes untouched.");
            }
        }
        out.flush();
    }

    private String unusable(LogFiles log) {
        String names = String.join(", ", logs);
        return log.lines() == 0
                ? "the log '" + names + "' is empty"
                : "no line of '" + names + "' was understood; it must be in the common or combined log format,"
                        + " or JSON with a time in every line";
    }

    private int fail(String message) {
        spec.commandLine().getErr().println("weir: " + message);
        spec.commandLine().getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }
}
