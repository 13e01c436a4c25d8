package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.http.HttpDecision;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code RateLimit-Policy} and {@code RateLimit}, from the configuration to the header. */
class RateLimitFieldsTest {
    private static PresetEngine engine(String limit) {
        return PresetEngine.yaml("limits:\n  - { name: general, per: [user], " + limit + " }\n");
    }

    private static Map<String, String> headers(Outcome outcome) {
        Map<String, String> headers = new HashMap<>();
        HttpDecision.headers(outcome, 0, headers::put);
        return headers;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate: 60/min                               | q=60;w=60",
                "rate: 1/s, burst: 5                        | q=5;w=5",
                "rate: 100/s, burst: 150                    | q=150;w=2",
                "rate: 60/min, burst: 10                    | q=10;w=10",
                "rate: 7/min, burst: 3                      | q=3;w=26",
                "rate: 0/min                                | q=0;w=60",
                "rate: 500/hour, algorithm: fixed-window    | q=500;w=3600",
                "rate: 5/min, algorithm: sliding-window     | q=5;w=60",
            })
    void policy_ofAnyLimit_isTheQuotaAndTheTimeInWhichAllOfItComesBack(String limit, String policy) {
        try (PresetEngine engine = engine(limit)) {
            assertThat(headers(engine.check("user", "u"))).containsEntry("RateLimit-Policy", "\"general\";" + policy);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"rate: 1/s, burst: 5", "rate: 100/s, burst: 150", "rate: 7/min, burst: 3", "rate: 3/s, burst: 1"})
    void client_thatSpendsTheQuotaOnceAWindow_isNeverRefused(String limit) {
        try (PresetEngine engine = engine(limit)) {
            String policy = headers(engine.weir.peek(Map.of("user", "u"))).get("RateLimit-Policy");
            int quota = Integer.parseInt(policy.replaceFirst(".*;q=(\\d+);.*", "$1"));
            int window = Integer.parseInt(policy.replaceFirst(".*;w=(\\d+)", "$1"));
            for (int i = 0; i < 5; i++) {
                assertThat(engine.allowed(quota, "user", "u")).isEqualTo(quota);
                engine.clock.advance(Duration.ofSeconds(window));
            }
        }
    }

    @Test
    void severalRates_areOnePolicyEach_underNamesThatStay() {
        try (PresetEngine engine = engine("rate: [10/s, 300/min]")) {
            Map<String, String> first = headers(engine.check("user", "u"));
            assertThat(first)
                    .containsEntry("RateLimit-Policy", "\"general\";q=10;w=1, \"general:2\";q=300;w=60")
                    .containsEntry("RateLimit", "\"general\";r=9;t=1, \"general:2\";r=299;t=1");
            for (int second = 0; second < 70; second++) {
                engine.allowed(10, "user", "u");
                engine.clock.advance(Duration.ofSeconds(1));
            }
            Map<String, String> refused = headers(engine.check("user", "u"));
            assertThat(refused)
                    .as("now the minute stands in the way")
                    .containsEntry("X-RateLimit-Limit", "300")
                    .containsEntry("X-RateLimit-Remaining", "4")
                    .containsEntry("RateLimit-Policy", "\"general\";q=10;w=1, \"general:2\";q=300;w=60")
                    .containsEntry("RateLimit", "\"general\";r=9;t=1, \"general:2\";r=4;t=60");
        }
    }

    @Test
    void severalRates_ofALimitThatDeniesMissingKeys_areToldToo() {
        try (PresetEngine engine = engine("on-missing: deny, rate: [10/s, 300/min]")) {
            assertThat(headers(engine.check("ip", "192.0.2.1")))
                    .containsEntry("RateLimit-Policy", "\"general\";q=10;w=1, \"general:2\";q=300;w=60")
                    .containsEntry("RateLimit", "\"general\";r=0;t=0, \"general:2\";r=0;t=0");
        }
    }

    @Test
    void document_hasOneEntryForALimitOfSeveralRates() {
        try (PresetEngine engine = engine("rate: [10/s, 300/min]")) {
            Outcome outcome = engine.check("user", "u");
            assertThat(outcome.limits()).extracting(LimitResult::name).containsExactly("general");
            assertThat(outcome.limits().get(0).window()).isEqualTo(Duration.ofSeconds(1));
        }
    }
}
