package dev.weir.cli;

import dev.weir.engine.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that sends one check to a running server. */
@Command(
        name = "check",
        description = "Send one check to a running server and print the decision.",
        footer = {
            "",
            "Example: weir check user=u1 plan=free path=/api/x",
            "Exit codes: 0 allowed; 3 denied; 1 no response, or an error response."
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class CheckCommand implements Callable<Integer> {
    private static final int DENIED = 3;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "The URL of the server (default: ${DEFAULT-VALUE}).",
            defaultValue = "http://127.0.0.1:8080")
    private URI server = URI.create("http://127.0.0.1:8080");

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "The token, if the server requires one. Shows in the list of processes: better WEIR_TOKEN.")
    private @Nullable String token;

    @Option(names = "--cost", description = "The cost of the request (default: ${DEFAULT-VALUE}).", defaultValue = "1")
    private long cost;

    @Option(names = "--json", description = "Print the server's response unchanged.")
    private boolean json;

    @Parameters(paramLabel = "key=value", arity = "1..*", description = "The request's attributes.")
    private String[] attributes = {};

    @Override
    public Integer call() {
        HttpResponse<String> response;
        try {
            response = ask(body());
        } catch (IOException e) {
            return fail("no answer from " + server + " (" + e.getClass().getSimpleName()
                    + "); is a server running? ./weir serve starts one");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail("interrupted");
        }
        PrintWriter out = spec.commandLine().getOut();
        CheckResponse answer = CheckResponse.read(response.body());
        if (json) {
            out.println(response.body());
        } else if (answer == null || answer.text("allowed").isEmpty()) {
            return fail("the server answered " + response.statusCode()
                    + (answer == null ? "" : ": " + answer.text("detail")));
        } else {
            answer.lines().forEach(out::println);
        }
        out.flush();
        return switch (response.statusCode()) {
            case 200 -> CommandLine.ExitCode.OK;
            case 429 -> DENIED;
            default -> CommandLine.ExitCode.SOFTWARE;
        };
    }

    private URI endpoint() {
        String scheme = server.getScheme();
        if (server.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--server is '" + server + "'; it must be an address such as http://127.0.0.1:8080");
        }
        return server.resolve("/v1/check");
    }

    private HttpResponse<String> ask(String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint())
                .header("Content-Type", "application/json")
                .timeout(REQUEST_TIMEOUT)
                .POST(BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(REQUEST_TIMEOUT)
                .build()
                .send(request.build(), BodyHandlers.ofString());
    }

    private String body() {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : attributes) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new ParameterException(
                        spec.commandLine(), "'" + pair + "' is not an attribute; write key=value, such as user=u1");
            }
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return Json.newObject(256)
                .field("attributes", pairs)
                .field("cost", cost)
                .close('}')
                .toString();
    }

    private int fail(String message) {
        spec.commandLine().getErr().println("weir: " + message);
        spec.commandLine().getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }
}
