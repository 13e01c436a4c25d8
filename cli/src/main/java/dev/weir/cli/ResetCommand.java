package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.engine.json.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that resets the budgets of one subject. */
@Command(
        name = "reset",
        description = "Reset every budget of a subject on a running server.",
        footer = {"", "Example: weir reset agent=a1", ServerCommand.EXIT_CODES},
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class ResetCommand extends ServerCommand {
    @Parameters(
            paramLabel = "attribute=value",
            arity = "1..*",
            description = "The subject; a budget must fit all attributes.")
    private List<String> subject = List.of();

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        String body = Json.newObject(128)
                .field("attributes", attributes(subject))
                .close('}')
                .toString();
        Response response = client.call("POST", "/api/admin/rate-limits/reset", body);
        if (json) {
            out.println(response.body());
            return CommandLine.ExitCode.OK;
        }
        JsonValue report = response.json();
        long count = report.get("reset").number();
        out.println("reset " + count + (count == 1 ? " budget of " : " budgets of ") + String.join(" ", subject));
        report.get("budgets")
                .items()
                .forEach(budget -> out.println("  " + budget.get("limit").text() + " "
                        + budget.get("key").items().stream()
                                .map(JsonValue::text)
                                .collect(Collectors.joining(" "))
                        + budget.get("key").pairs()));
        List<JsonValue> incomplete = report.get("incomplete").items();
        if (!incomplete.isEmpty()) {
            out.println("Budgets with other values may exist for: "
                    + incomplete.stream().map(JsonValue::text).collect(Collectors.joining(", ")));
        }
        return CommandLine.ExitCode.OK;
    }
}
