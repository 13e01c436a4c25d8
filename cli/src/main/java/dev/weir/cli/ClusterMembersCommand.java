package dev.weir.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.DurationText;
import dev.weir.cli.terminal.Columns;
import dev.weir.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command that shows and changes the members of a running cluster. Any node accepts it. */
@Command(
        name = "cluster",
        description = "Show the nodes of a cluster store, and add, remove or prefer one.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example: weir cluster status --server http://10.0.0.1:8080",
            "Exit codes: 0 done; 1 the cluster did not do it, or no response."
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class ClusterMembersCommand implements Runnable {
    /** A node that is added loads everything first. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

    private static final String NONE = "-";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "The URL of any node's server (default: ${DEFAULT-VALUE}).",
            defaultValue = "http://127.0.0.1:8080",
            scope = ScopeType.INHERIT)
    private URI server = URI.create("http://127.0.0.1:8080");

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "The token: of the role admin to add and remove, operate to transfer. Shows in the list of"
                    + " processes: better WEIR_TOKEN.",
            scope = ScopeType.INHERIT)
    private @Nullable String token;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "cluster needs a command: status, add, remove or transfer");
    }

    @Command(
            description = "Show the leader, and each node's state, term, lag and last snapshot.",
            mixinStandardHelpOptions = true)
    int status(@Option(names = "--json", description = "Print the server's response unchanged.") boolean json) {
        return send("GET", "/v1/cluster", null, json);
    }

    @Command(
            description = "Add a node that runs already, and wait until it has caught up.",
            mixinStandardHelpOptions = true)
    int add(@Parameters(paramLabel = "MEMBER", description = "Its HOST:PORT in the list of members.") String member) {
        return send("POST", "/api/admin/cluster/members", body(member), false);
    }

    @Command(description = "Remove a node. Stop it afterwards.", mixinStandardHelpOptions = true)
    int remove(
            @Parameters(paramLabel = "MEMBER", description = "Its HOST:PORT in the list of members.") String member) {
        return send(
                "DELETE",
                "/api/admin/cluster/members/" + URLEncoder.encode(member, StandardCharsets.UTF_8),
                null,
                false);
    }

    @Command(description = "Transfer leadership to a node.", mixinStandardHelpOptions = true)
    int transfer(
            @Parameters(paramLabel = "MEMBER", description = "Its HOST:PORT in the list of members.") String member) {
        return send("POST", "/api/admin/cluster/transfer", body(member), false);
    }

    private static String body(String member) {
        return Json.newObject(64).field("member", member).close('}').toString();
    }

    private int send(String method, String path, @Nullable String body, boolean isRaw) {
        HttpResponse<String> response;
        try {
            response = response(method, path, body);
        } catch (IOException e) {
            return fail("no answer from " + server + " (" + e.getClass().getSimpleName() + "); is a server running?");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail("interrupted");
        }
        if (response.statusCode() == 200 && isRaw) {
            spec.commandLine().getOut().println(response.body());
            spec.commandLine().getOut().flush();
            return CommandLine.ExitCode.OK;
        }
        Map<String, Object> answer = read(response.body());
        if (response.statusCode() != 200 || !(answer.get("members") instanceof List<?> members)) {
            return fail(text(answer, "detail", "the server answered " + response.statusCode()));
        }
        print(answer, members);
        return CommandLine.ExitCode.OK;
    }

    private HttpResponse<String> response(String method, String path, @Nullable String body)
            throws IOException, InterruptedException {
        if (server.getHost() == null || !List.of("http", "https").contains(String.valueOf(server.getScheme()))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--server is '" + server + "'; it must be an address such as http://127.0.0.1:8080");
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(REQUEST_TIMEOUT)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(REQUEST_TIMEOUT)
                .build()
                .send(request.build(), BodyHandlers.ofString());
    }

    private void print(Map<String, Object> status, List<?> members) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("MEMBER", "STATE", "TERM", "APPLIED", "LAG", "LAST SNAPSHOT"));
        for (Object member : members) {
            if (member instanceof Map<?, ?> fields) {
                rows.add(row(fields));
            }
        }
        var out = spec.commandLine().getOut();
        out.println("cluster " + text(status, "name", NONE) + ", term " + text(status, "term", NONE) + ", leader "
                + text(status, "leader", "unknown"));
        if (!text(status, "problem", "").isEmpty()) {
            out.println(text(status, "node", NONE) + ": " + text(status, "problem", NONE));
        }
        Columns.aligned(rows).forEach(out::println);
        out.flush();
    }

    private static List<String> row(Map<?, ?> member) {
        String state = !isTrue(member, "answers")
                ? "no answer"
                : !isTrue(member, "ready") ? "not ready" : isTrue(member, "leader") ? "leader" : "follower";
        String snapshot = NONE;
        if (member.get("snapshot") instanceof Map<?, ?> taken) {
            Instant at = Instant.ofEpochSecond(Long.parseLong(text(taken, "at", "0")));
            Duration age = Duration.between(at, Instant.now());
            snapshot = (age.isNegative() ? "now" : DurationText.of(Duration.ofSeconds(age.toSeconds())) + " ago")
                    + " at " + text(taken, "index", NONE);
        }
        return List.of(
                text(member, "name", NONE),
                state,
                text(member, "term", NONE),
                text(member, "applied", NONE),
                text(member, "lag", NONE),
                snapshot);
    }

    private static boolean isTrue(Map<?, ?> fields, String name) {
        return "true".equals(fields.get(name));
    }

    /** Returns a scalar without control characters, which a terminal would interpret. */
    private static String text(Map<?, ?> fields, String name, String otherwise) {
        return fields.get(name) instanceof String text ? text.replaceAll("\\p{Cntrl}", "?") : otherwise;
    }

    /** Parses an object; returns an empty one for anything else. Scalars become texts, null is left out. */
    private static Map<String, Object> read(String text) {
        try (JsonParser json = new JsonFactory().createParser(text)) {
            return json.nextToken() == JsonToken.START_OBJECT ? object(json) : Map.of();
        } catch (IOException e) {
            return Map.of();
        }
    }

    private static Map<String, Object> object(JsonParser json) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            if (json.nextToken() != JsonToken.VALUE_NULL) {
                fields.put(name, value(json));
            }
        }
        return fields;
    }

    private static Object value(JsonParser json) throws IOException {
        if (json.currentToken() == JsonToken.START_OBJECT) {
            return object(json);
        }
        if (json.currentToken() != JsonToken.START_ARRAY) {
            return json.getText();
        }
        List<Object> items = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY && json.currentToken() != null) {
            items.add(value(json));
        }
        return items;
    }

    private int fail(String message) {
        spec.commandLine().getErr().println("weir: " + message);
        spec.commandLine().getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }
}
