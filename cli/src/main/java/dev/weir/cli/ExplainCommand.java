package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that explains how a running server would decide a request. */
@Command(
        name = "explain",
        description = "Explain how a running server would decide a request; spends nothing.",
        footer = {"", "Example: weir explain agent=a1 action=task_submit", ServerCommand.EXIT_CODES},
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class ExplainCommand extends ServerCommand {
    @Option(names = "--cost", description = "The cost of the request (default: ${DEFAULT-VALUE}).", defaultValue = "1")
    private long cost;

    @Parameters(paramLabel = "key=value", arity = "1..*", description = "The request's attributes.")
    private List<String> attributes = List.of();

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        Response response = client.call("POST", "/v1/explain", CheckCommand.body(attributes(attributes), cost));
        if (json) {
            out.println(response.body());
            return CommandLine.ExitCode.OK;
        }
        JsonValue explanation = response.json();
        DecisionText.decision(explanation.get("decision"), true).forEach(out::println);
        if (explanation.get("matched").items().isEmpty()) {
            out.println("  no limit applies: " + DecisionText.whyUnlimited(explanation));
        }
        DecisionText.explanation(explanation).forEach(out::println);
        return CommandLine.ExitCode.OK;
    }
}
