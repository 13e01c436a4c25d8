package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.cli.terminal.Columns;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists the changes of runtime settings. */
@Command(
        name = "audit",
        description = "List who changed which setting of a running server, the newest first.",
        footer = {"", "Example: weir audit --limit 20", ServerCommand.EXIT_CODES},
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class AuditCommand extends ServerCommand {
    private static final int MOST_ENTRIES = 1_000;

    @Option(
            names = "--limit",
            paramLabel = "NUMBER",
            description = "The most entries, 1 to 1000 (default: ${DEFAULT-VALUE}).",
            defaultValue = "50")
    private int limit;

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        if (limit < 1 || limit > MOST_ENTRIES) {
            throw misuse("--limit is " + limit + "; it must be 1 to " + MOST_ENTRIES);
        }
        Response response = client.call("GET", "/api/admin/audit?limit=" + limit, null);
        if (json) {
            out.println(response.body());
            return CommandLine.ExitCode.OK;
        }
        JsonValue audit = response.json();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("WHEN", "WHO", "CHANGE", "SUBJECT", "REASON"));
        for (JsonValue entry : audit.get("entries").items()) {
            String subject = entry.get("subject").text();
            rows.add(List.of(
                    entry.get("when").text().replaceFirst("\\.\\d+Z$", "Z"),
                    entry.get("who").text(),
                    entry.get("change").text(),
                    subject.isEmpty() ? entry.get("attributes").pairs() : subject,
                    entry.get("reason").text() + SetCommand.until(entry)));
        }
        Columns.aligned(rows).forEach(out::println);
        if (!audit.get("fault").isNothing()) {
            out.println(
                    "The audit was changed outside Weir: " + audit.get("fault").text());
        }
        return CommandLine.ExitCode.OK;
    }
}
