package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.terminal.Style;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that follows the decisions of a running server. */
@Command(
        name = "tail",
        description = "Follow the decisions of a running server, one line each.",
        footer = {
            "",
            "Filters: limit=NAME, reason=allowed|limited|impossible|unavailable|penalized, or an attribute=value.",
            "Examples: weir tail reason=limited",
            "          weir tail agent=a1 --json",
            ServerCommand.EXIT_CODES
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class TailCommand extends ServerCommand {
    @Option(
            names = "--count",
            paramLabel = "NUMBER",
            description = "End after so many decisions (default: never).",
            defaultValue = "0")
    private long count;

    @Parameters(paramLabel = "filter", arity = "0..*", description = "name=value; all must hold.")
    private List<String> filters = List.of();

    private long shown;

    /** Ends the stream. */
    private static final class EnoughException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EnoughException() {
            super(null, null, false, false);
        }
    }

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        if (count < 0) {
            throw misuse("--count is " + count + "; it must be 1 or more, or 0 for no end");
        }
        String query = attributes(filters).entrySet().stream()
                .map(filter -> ServerClient.segment(filter.getKey()) + "=" + ServerClient.segment(filter.getValue()))
                .collect(Collectors.joining("&"));
        Style style = Main.terminal(spec).style();
        try {
            client.follow("/v1/tail" + (query.isEmpty() ? "" : "?" + query), (kind, data) -> {
                if (kind.equals("decision")) {
                    out.println(json ? data : line(data, style));
                    shown++;
                } else if (kind.equals("second") && !json) {
                    sampled(data, out, style);
                }
                out.flush();
                if (count > 0 && shown >= count) {
                    throw new EnoughException();
                }
            });
        } catch (EnoughException e) {
            return CommandLine.ExitCode.OK;
        }
        spec.commandLine().getErr().println("weir: the server ended the stream");
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static String line(String data, Style style) {
        JsonValue decision = JsonValue.parse(data);
        if (decision == null) {
            return "";
        }
        boolean isAllowed = decision.get("allowed").isTrue();
        String reason =
                String.format(Locale.ROOT, "%-11s", decision.get("reason").text());
        String rest = isAllowed
                ? decision.get("remaining").text() + " left"
                : decision.get("retry_after_ms").isNothing()
                        ? "waiting does not help"
                        : "retry after " + decision.get("retry_after_ms").text() + " ms";
        return Instant.ofEpochMilli(decision.get("at").number()) + "  "
                + (isAllowed ? style.green(reason) : style.red(reason)) + "  "
                + decision.get("limit").text() + "  " + rest + "  "
                + style.dim(decision.get("attributes").pairs());
    }

    /** Says that a second had more decisions than were sent. */
    private static void sampled(String data, PrintWriter out, Style style) {
        JsonValue second = JsonValue.parse(data);
        if (second != null && second.get("sampled").isTrue()) {
            out.println(style.yellow("... a sample: " + second.get("sent").text() + " of "
                    + second.get("decisions").text() + " decisions of this second"));
        }
    }
}
