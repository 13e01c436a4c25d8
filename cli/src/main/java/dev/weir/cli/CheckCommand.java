package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.engine.json.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that sends one check to a running server. */
@Command(
        name = "check",
        description = "Send one check to a running server and print the decision.",
        footer = {
            "",
            "Examples: weir check user=u1 plan=free path=/api/x",
            "          weir check --peek --explain agent=a1 action=task_submit",
            "Exit codes: 0 allowed; 3 denied; 1 no response, or an error response; 64 invalid usage."
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class CheckCommand extends ServerCommand {
    private static final int DENIED = 3;

    @Option(names = "--cost", description = "The cost of the request (default: ${DEFAULT-VALUE}).", defaultValue = "1")
    private long cost;

    @Option(names = "--peek", description = "Decide without spending.")
    private boolean peek;

    @Option(
            names = "--explain",
            description = "Also print the attributes after defaults and classification, and why each limit applies or"
                    + " not. Spends only without --peek.")
    private boolean explain;

    @Parameters(paramLabel = "key=value", arity = "1..*", description = "The request's attributes.")
    private List<String> attributes = List.of();

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        String body = body(attributes(attributes), cost);
        // Before the check spends, so that both see the same state.
        Response explained = explain ? client.call("POST", "/v1/explain", body) : null;
        Response response = client.send("POST", peek ? "/v1/peek" : "/v1/check", body);
        JsonValue decision = response.json();
        if (decision.get("allowed").isNothing()) {
            throw client.failed(response);
        }
        if (json) {
            out.println(explained == null ? response.body() : explained.body());
        } else {
            boolean isUnlimited = decision.get("limits").items().isEmpty()
                    && decision.get("allowed").isTrue();
            DecisionText.decision(decision, peek).forEach(out::println);
            if (explained != null) {
                DecisionText.explanation(explained.json()).forEach(out::println);
            } else if (isUnlimited) {
                out.println("  no limit applies" + reason(client, body));
            }
        }
        return decision.get("allowed").isTrue() ? CommandLine.ExitCode.OK : DENIED;
    }

    /** Why nothing limits a request, as the end of a sentence; empty if the server does not explain it. */
    private static String reason(ServerClient client, String body) throws CallFailedException {
        Response explained = client.send("POST", "/v1/explain", body);
        return explained.isSuccess() ? ": " + DecisionText.whyUnlimited(explained.json()) : "";
    }

    static String body(Map<String, String> attributes, long cost) {
        return Json.newObject(256)
                .field("attributes", attributes)
                .field("cost", cost)
                .close('}')
                .toString();
    }
}
