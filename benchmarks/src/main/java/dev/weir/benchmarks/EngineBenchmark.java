package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import java.util.HashMap;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A decision through the engine: from a map of attributes, over the limits of a configuration, to an outcome.
 *
 * <p>The configuration resembles the ai-saas preset, with budgets that are never used up. The request has a classified
 * path, an address, and a user with a plan. Four of seven limits apply.
 */
@BenchmarkMode(Mode.Throughput)
public class EngineBenchmark {

    @Benchmark
    public boolean one(Engine engine) {
        return engine.checked(engine.weir.check(engine.one), true);
    }

    @Benchmark
    public boolean four(Engine engine) {
        return engine.checked(engine.weir.check(engine.four), true);
    }

    /** Includes the tightest limit, which a response's headers need. */
    @Benchmark
    public LimitResult fourTold(Engine engine) {
        LimitResult decisive = engine.weir.check(engine.four).decisive();
        if (decisive == null || !decisive.name().equals("session")) {
            throw MeasurementFailedException.wrongAnswer("the tightest limit", "session", String.valueOf(decisive));
        }
        return decisive;
    }

    /** A request that the fourth limit refuses. */
    @Benchmark
    public boolean fourDenied(Engine engine) {
        return engine.checked(engine.weir.check(engine.denied), false);
    }

    @State(Scope.Benchmark)
    public static class Engine {
        private static final String CONFIGURATION = """
                defaults: { plan: free }
                classify:
                  - set: resource
                    from: path
                    values:
                      conversation: ["**/conversations/**/messages**"]
                      ai_completions: ["**/ai/**", "**/completions**"]
                      session: ["**/sessions**"]
                      export: ["**/export**"]
                limits:
                  - { name: global, per: [], rate: 1_000_000_000/s }
                  - { name: ip, per: [ip], rate: 900_000_000/s }
                  - { name: auth, match: { path: "/api/auth/**" }, per: [ip], rate: 10/hour }
                  - name: general
                    per: [user]
                    by: plan
                    rate: { free: 800_000_000/s, monthly: 810_000_000/s, default: 800_000_000/s }
                  - name: session
                    match: { resource: session }
                    per: [user]
                    by: plan
                    rate: { free: 700_000_000/s, monthly: 710_000_000/s, default: 700_000_000/s }
                  - { name: conversation, match: { resource: conversation }, per: [user], rate: 10/min }
                  - { name: export, match: { resource: export }, per: [user], rate: 1/day }
                """;

        final Weir weir = Weir.inMemory(
                new ConfigurationReader().read("benchmark.yaml", CONFIGURATION).orThrow());
        final Map<String, String> one = Map.of("path", "/health");
        final Map<String, String> four = new HashMap<>(Map.of(
                "ip",
                "203.0.113.7",
                "user",
                "user-123450",
                "plan",
                "monthly",
                "method",
                "GET",
                "path",
                "/api/sessions/7"));
        final Map<String, String> denied = new HashMap<>(four);

        public Engine() {
            denied.put("path", "/api/export");
            weir.check(denied);
        }

        /** Returns the result if it is the expected one; throws otherwise. */
        boolean checked(Outcome outcome, boolean isAllowed) {
            if (outcome.allowed() != isAllowed) {
                throw MeasurementFailedException.wrongAnswer("a request", isAllowed ? "allowed" : "denied", outcome);
            }
            return isAllowed;
        }

        @TearDown
        public void checkLimits() {
            checkLimits(one, 1);
            checkLimits(four, 4);
            checkLimits(denied, 4);
            weir.close();
        }

        private void checkLimits(Map<String, String> request, int expected) {
            int found = weir.check(request).limits().size();
            if (found != expected) {
                throw MeasurementFailedException.wrongAnswer("limits that apply to " + request, expected, found);
            }
        }
    }
}
