package dev.weir.cli;

import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.engine.json.Json;
import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that exempts one subject from all limits. */
@Command(
        name = "exempt",
        description = "Exempt one subject from all limits of a running server, for a time if you say so.",
        footer = {
            "",
            "Examples: weir exempt agent=a1 --for 1h --reason 'load test'",
            "          weir exempt agent=a1 --remove",
            ServerCommand.EXIT_CODES
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class ExemptCommand extends ServerCommand {
    @Option(names = "--for", paramLabel = "DURATION", description = "How long, such as 1h (default: until removed).")
    private @Nullable String duration;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit.")
    private @Nullable String reason;

    @Option(names = "--remove", description = "End the exemption instead.")
    private boolean remove;

    @Parameters(paramLabel = "attribute=value", description = "The subject, such as agent=a1.")
    private String subject = "";

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        Map.Entry<String, String> named = subject(subject);
        String name = named.getKey() + "=" + named.getValue();
        String path = "/api/admin/rate-limits/whitelist";
        if (remove) {
            SetCommand.checkNoValidity(this, duration, reason);
            client.call("DELETE", path + "/" + ServerClient.segment(name), null);
            out.println(json ? "{}" : name + " is not exempt");
            return CommandLine.ExitCode.OK;
        }
        Json body = Json.newObject(128).field("agent", name);
        Response response = client.call(
                "POST",
                path,
                SetCommand.validity(body, duration, reason).close('}').toString());
        out.println(json ? response.body() : name + " is exempt" + (duration == null ? "" : " for " + duration));
        return CommandLine.ExitCode.OK;
    }
}
