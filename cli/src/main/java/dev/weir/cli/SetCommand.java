package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.json.Json;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that gives one subject rates of its own. */
@Command(
        name = "set",
        description = "Give one subject rates of its own on a running server, for a time if you say so.",
        footer = {
            "",
            "Replaces the rates that the subject was given before. A limit without rows has only LIMIT=RATE.",
            "Examples: weir set agent=a1 agent.heavy=50/min --for 1h --reason 'incident 7'",
            "          weir set agent=a1 --remove",
            ServerCommand.EXIT_CODES
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class SetCommand extends ServerCommand {
    @Option(names = "--for", paramLabel = "DURATION", description = "How long, such as 1h (default: until removed).")
    private @Nullable String duration;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit.")
    private @Nullable String reason;

    @Option(names = "--remove", description = "Remove the subject's own rates instead.")
    private boolean remove;

    @Parameters(index = "0", paramLabel = "attribute=value", description = "The subject, such as agent=a1.")
    private String subject = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "LIMIT[.ROW]=RATE",
            description = "The rates, such as general=100/min or agent.heavy=50/min.")
    private List<String> rates = List.of();

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        Map.Entry<String, String> named = subject(subject);
        String name = named.getKey() + "=" + named.getValue();
        String path = "/api/admin/rate-limits/" + ServerClient.segment(name);
        if (remove != rates.isEmpty()) {
            throw misuse(remove ? "--remove takes no rates" : "name at least one rate, such as general=100/min");
        }
        if (remove) {
            checkNoValidity(this, duration, reason);
            client.call("DELETE", path, null);
            out.println(json ? "{}" : name + " has the default rates");
            return CommandLine.ExitCode.OK;
        }
        Response response = client.call("PUT", path, body());
        out.println(json ? response.body() : text(response.json()));
        return CommandLine.ExitCode.OK;
    }

    private String body() {
        Map<String, Map<String, String>> byLimit = new LinkedHashMap<>();
        attributes(rates).forEach((limit, rate) -> {
            int dot = limit.indexOf('.');
            byLimit.computeIfAbsent(dot < 0 ? limit : limit.substring(0, dot), unused -> new LinkedHashMap<>())
                    .put(dot < 0 ? LimitRule.DEFAULT_ROW : limit.substring(dot + 1), rate);
        });
        Json json = Json.newObject(256).name("limits").open('{');
        byLimit.forEach(json::field);
        return validity(json.close('}'), duration, reason).close('}').toString();
    }

    /** Refuses how long and why for a removal: the server records neither, and the reason would be lost. */
    static void checkNoValidity(ServerCommand command, @Nullable String duration, @Nullable String reason) {
        if (duration != null || reason != null) {
            throw command.misuse("--remove takes neither --for nor --reason");
        }
    }

    /** Adds how long a change holds, and why. */
    static Json validity(Json json, @Nullable String duration, @Nullable String reason) {
        if (duration != null) {
            json.field("for", duration);
        }
        if (reason != null) {
            json.field("reason", reason);
        }
        return json;
    }

    private static String text(JsonValue set) {
        StringBuilder text = new StringBuilder(set.get("subject").text()).append(" has");
        set.get("limits")
                .members()
                .forEach((limit, rows) -> rows.members()
                        .forEach((row, rate) -> text.append(' ')
                                .append(limit)
                                .append(row.equals(LimitRule.DEFAULT_ROW) ? "" : "." + row)
                                .append('=')
                                .append(rate.text())));
        return text + until(set);
    }

    /** {@code " until TIME"}, or an empty text. */
    static String until(JsonValue change) {
        return change.get("expires_at").isNothing() ? "" : " until " + WhoCommand.time(change.get("expires_at"));
    }
}
