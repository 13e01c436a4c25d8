package dev.weir.example.hub;

import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Presets;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A running hub, with limits on the test's clock, and helpers to connect to it over real sockets. */
final class TestHub implements AutoCloseable {
    /** Only the limits use the test's clock. The timeouts are short, so that tests do not wait long. */
    static final HubOptions.Timeouts TIMEOUTS = new HubOptions.Timeouts(
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofMillis(20),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30));

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    final FakeClock clock = new FakeClock();
    final Weir weir;
    final Hub hub;
    private final List<TestAgent> agents = new ArrayList<>();

    private TestHub(Configuration configuration, HubOptions options) {
        MemoryStoreOptions timed = MemoryStoreOptions.defaults().timeSource(clock);
        weir = Weir.of(
                configuration,
                MemoryStore.create(timed),
                new InMemorySettings(),
                WeirOptions.defaults().withClock(clock::wall));
        hub = Hub.start(options, new HubLimits(weir, MemoryStore.create(timed)));
    }

    /** Starts with the preset. */
    static TestHub start() {
        return start(TIMEOUTS);
    }

    static TestHub start(HubOptions.Timeouts timeouts) {
        return start(options().withTimeouts(timeouts));
    }

    static TestHub start(HubOptions options) {
        return new TestHub(read(Presets.text("agent-hub")), options);
    }

    /** Starts with the preset, behind a proxy on this machine, so that a test can use any address. */
    static TestHub behindProxy() {
        return new TestHub(read(Presets.text("agent-hub") + "\ntrusted-proxies: [127.0.0.1/32]\n"), options());
    }

    static HubOptions options() {
        return HubOptions.at("127.0.0.1", 0, null).withTimeouts(TIMEOUTS);
    }

    private static Configuration read(String yaml) {
        return new ConfigurationReader(name -> null).read("test.yaml", yaml).orThrow();
    }

    /** Registers an agent, and advances the clock so that the registration costs nothing. */
    String token(String agent) {
        HttpResponse<String> registered = post("/api/onboard/register", null, new JsonObject().put("agent", agent));
        if (registered.statusCode() != 201) {
            throw new AssertionError(registered.statusCode() + " " + registered.body());
        }
        clock.advance(Duration.ofMinutes(1));
        return new JsonObject(registered.body()).getString("token");
    }

    /** Returns an agent that has registered, connected and identified itself. */
    TestAgent agent(String name) {
        return identified(token(name));
    }

    TestAgent identified(String token) {
        TestAgent agent = stranger();
        agent.identify(token);
        clock.advance(Duration.ofMinutes(1));
        return agent;
    }

    /** Returns a connection that has not identified itself. */
    TestAgent stranger() {
        TestAgent agent = TestAgent.connect(CLIENT, hub.port());
        agents.add(agent);
        return agent;
    }

    HttpResponse<String> get(String path, String token, String... headers) {
        return send("GET", path, token, null, headers);
    }

    HttpResponse<String> post(String path, String token, JsonObject body, String... headers) {
        return send("POST", path, token, body, headers);
    }

    HttpResponse<String> send(String method, String path, String token, JsonObject body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(hub.url() + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.encode()))
                .timeout(Duration.ofSeconds(20));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        hub.close();
        agents.forEach(TestAgent::abort);
    }
}
