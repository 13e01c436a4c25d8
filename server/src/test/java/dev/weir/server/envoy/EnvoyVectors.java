package dev.weir.server.envoy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import dev.weir.testkit.FakeClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The semantics of Envoy's rate limit service as data: configurations, requests at given times, and their replies.
 *
 * <p>Requests and replies are in the JSON form of Envoy's protocol buffers, so that the same vectors can be sent over
 * any transport: {@link Step#request} and {@link Step#reply} are the texts, {@link Step#query} and {@link
 * Step#expected} the values. {@link #open} starts the decisions that a vector is about, on a clock that the test sets.
 */
public final class EnvoyVectors {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ReplyOptions.HeaderNames HEADERS =
            new ReplyOptions.HeaderNames("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");

    private EnvoyVectors() {}

    /**
     * One vector.
     *
     * @param files the texts of Envoy's files
     * @param strict whether it counts as the original service does
     * @param headers whether replies have response headers
     */
    public record Vector(String name, List<String> files, boolean strict, boolean headers, List<Step> steps) {
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * A request at a time.
     *
     * @param at since {@link FakeClock#START}
     * @param request the JSON form of the request
     * @param reply the JSON form of the reply
     */
    public record Step(Duration at, String request, String reply, RateLimitQuery query, RateLimitReply expected) {}

    /** The decisions of a vector, on a memory store whose clock the test sets. */
    public static final class Running implements AutoCloseable {
        private final FakeClock clock = new FakeClock();
        private final Weir weir;
        private final EnvoyDecisions decisions;
        private final EnvoyStatistics statistics = new EnvoyStatistics();

        private Running(EnvoyConfiguration envoy, ReplyOptions options) {
            this.weir = Weir.of(
                    EnvoyLimits.configuration(envoy, "memory"),
                    MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock)),
                    new InMemorySettings(),
                    WeirOptions.defaults().withClock(clock::wall));
            this.decisions = new EnvoyDecisions(weir, envoy, options, statistics, clock::wall);
        }

        /** Sets the clock to the time of a step. */
        public void advanceTo(Step step) {
            clock.set(FakeClock.START.plus(step.at()));
        }

        public RateLimitDecisions decisions() {
            return decisions;
        }

        EnvoyStatistics statistics() {
            return statistics;
        }

        Weir weir() {
            return weir;
        }

        FakeClock clock() {
            return clock;
        }

        void replace(EnvoyConfiguration next) {
            decisions.replace(next);
        }

        @Override
        public void close() {
            weir.close();
        }
    }

    /** The service with these decisions, for a server that a test starts. */
    public static EnvoyService service(RateLimitDecisions decisions) {
        return new EnvoyService(decisions, new EnvoyStatistics(), null);
    }

    /** Starts the decisions of a vector. */
    public static Running open(Vector vector) {
        return open(vector.files(), new ReplyOptions(vector.strict(), false, vector.headers() ? HEADERS : null));
    }

    static Running open(List<String> files, ReplyOptions options) {
        return new Running(configuration(files), options);
    }

    static EnvoyConfiguration configuration(List<String> files) {
        List<EnvoyFiles.Content> contents = new ArrayList<>();
        for (String file : files) {
            contents.add(
                    new EnvoyFiles.Content("file" + contents.size() + ".yaml", file.getBytes(StandardCharsets.UTF_8)));
        }
        return EnvoyConfigurationReader.read(contents);
    }

    /** All vectors, in the order of the file. */
    public static List<Vector> all() {
        try {
            List<Vector> vectors = new ArrayList<>();
            for (JsonNode vector : JSON.readTree(resource("vectors.json"))) {
                vectors.add(vector(vector));
            }
            return List.copyOf(vectors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a resource beside this class. */
    public static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(EnvoyVectors.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Vector vector(JsonNode vector) {
        List<String> files = new ArrayList<>();
        for (JsonNode file : vector.get("files")) {
            files.add(file.asText().endsWith(".yaml") ? resource(file.asText()) : file.asText());
        }
        List<Step> steps = new ArrayList<>();
        for (JsonNode step : vector.get("steps")) {
            steps.add(new Step(
                    Duration.ofMillis(Math.round(1_000 * step.get("at").asDouble())),
                    step.get("request").toString(),
                    step.get("reply").toString(),
                    query(step.get("request")),
                    reply(step.get("reply"))));
        }
        return new Vector(
                vector.get("name").asText(),
                files,
                vector.get("strict").asBoolean(),
                vector.path("headers").asBoolean(),
                steps);
    }

    private static RateLimitQuery query(JsonNode request) {
        List<RateLimitQuery.Descriptor> descriptors = new ArrayList<>();
        for (JsonNode descriptor : request.get("descriptors")) {
            List<RateLimitQuery.Entry> entries = new ArrayList<>();
            for (JsonNode entry : descriptor.path("entries")) {
                entries.add(new RateLimitQuery.Entry(
                        entry.get("key").asText(), entry.path("value").asText()));
            }
            JsonNode limit = descriptor.get("limit");
            JsonNode hits = descriptor.get("hitsAddend");
            descriptors.add(new RateLimitQuery.Descriptor(
                    entries,
                    limit == null
                            ? null
                            : new RateLimitQuery.Override(
                                    limit.get("requestsPerUnit").asLong(),
                                    Unit.valueOf(limit.get("unit").asText())),
                    hits == null ? null : hits.asLong()));
        }
        return new RateLimitQuery(
                request.get("domain").asText(),
                descriptors,
                Math.max(1, request.path("hitsAddend").asLong()));
    }

    public static RateLimitReply reply(JsonNode reply) {
        List<RateLimitReply.DescriptorStatus> statuses = new ArrayList<>();
        for (JsonNode status : reply.get("statuses")) {
            statuses.add(new RateLimitReply.DescriptorStatus(
                    isOk(status.get("code")),
                    limit(status.get("currentLimit")),
                    status.path("limitRemaining").asLong(),
                    millis(status.path("durationUntilReset").asText())));
        }
        List<RateLimitReply.Header> headers = new ArrayList<>();
        for (JsonNode header : reply.path("responseHeadersToAdd")) {
            headers.add(new RateLimitReply.Header(
                    header.get("key").asText(), header.get("value").asText()));
        }
        return new RateLimitReply(isOk(reply.get("overallCode")), statuses, headers);
    }

    private static boolean isOk(JsonNode code) {
        return code.asText().equals("OK");
    }

    private static RateLimitReply.@Nullable CurrentLimit limit(@Nullable JsonNode limit) {
        return limit == null
                ? null
                : new RateLimitReply.CurrentLimit(
                        limit.path("requestsPerUnit").asLong(),
                        Unit.valueOf(limit.get("unit").asText()),
                        limit.has("name") ? limit.get("name").asText() : null);
    }

    private static long millis(String duration) {
        return duration.isEmpty() ? 0 : 1_000 * Long.parseLong(duration.replace("s", ""));
    }
}
