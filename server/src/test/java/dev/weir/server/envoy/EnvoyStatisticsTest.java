package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.envoy.EnvoyVectors.Running;
import dev.weir.server.envoy.RateLimitQuery.Descriptor;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The statistics under the names of the original service. */
class EnvoyStatisticsTest {
    private static final String FILE = """
            domain: shop
            descriptors:
              - { key: user, rate_limit: { unit: day, requests_per_unit: 10 } }
              - { key: eve, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 1 } }
              - { key: detailed, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 10 } }
              - { key: path, value: "/a/*", share_threshold: true, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 10 } }
              - { key: path, value: "/b/*", rate_limit: { unit: day, requests_per_unit: 10 } }
              - key: route
                value_to_metric: true
                descriptors:
                  - { key: ip, value: 10.0.0.1, rate_limit: { unit: day, requests_per_unit: 10 } }
                  - { key: ip, rate_limit: { unit: day, requests_per_unit: 10 } }
            """;

    @Test
    void hits_areCounted_asTheOriginalDoes() {
        String text =
                after(false, hits(5, "user", "a"), hits(5, "user", "a"), hits(3, "user", "b"), hits(8, "user", "b"));

        assertThat(text)
                .contains("# TYPE ratelimit_service_rate_limit_total_hits counter\n")
                .contains("ratelimit_service_rate_limit_total_hits{domain=\"shop\",key1=\"user\"} 21\n")
                .as("11 hits of b are 1 too many; 8 of the 10 within are not near")
                .contains("ratelimit_service_rate_limit_over_limit{domain=\"shop\",key1=\"user\"} 1\n")
                .contains("ratelimit_service_rate_limit_near_limit{domain=\"shop\",key1=\"user\"} 4\n")
                .contains("ratelimit_service_rate_limit_within_limit{domain=\"shop\",key1=\"user\"} 13\n")
                .contains("ratelimit_service_rate_limit_shadow_mode{domain=\"shop\",key1=\"user\"} 0\n");
    }

    @Test
    void strict_hasTheSameStatistics() {
        RateLimitQuery[] queries = {
            hits(5, "user", "a"), hits(5, "user", "a"), hits(1, "user", "a"), hits(3, "user", "b"), hits(8, "user", "b")
        };

        assertThat(after(true, queries)).isEqualTo(after(false, queries));
    }

    @Test
    void shadowMode_isCounted() {
        assertThat(after(false, hits(1, "eve", "x"), hits(1, "eve", "x"), hits(2, "eve", "x")))
                .contains("ratelimit_service_rate_limit_over_limit{domain=\"shop\",key1=\"eve\"} 3\n")
                .contains("ratelimit_service_rate_limit_shadow_mode{domain=\"shop\",key1=\"eve\"} 3\n");
    }

    @Test
    void labels_haveValues_whereTheFileSaysSo() {
        assertThat(after(
                        false,
                        hits(1, "detailed", "v"),
                        hits(1, "detailed", ""),
                        hits(1, "path", "/a/1"),
                        hits(1, "path", "/b/1"),
                        hits(1, "route", "api:x|y", "ip", "10.0.0.1"),
                        hits(1, "route", "api", "ip", "10.0.0.2")))
                .contains("total_hits{domain=\"shop\",key1=\"detailed_v\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"detailed_\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"path_/a/*\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"path_/b/*\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"route_api_x_y\",key2=\"ip_10_0_0_1\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"route_api\",key2=\"ip\"} 1\n");
    }

    @Test
    void labels_areEscaped_andBounded() {
        List<RateLimitQuery> many = new ArrayList<>(List.of(hits(1, "detailed", "a\"b\\c\nd")));
        for (int i = 0; i < 2 * EnvoyStatistics.MOST; i++) {
            many.add(hits(1, "detailed", "v" + i));
        }

        String text = after(false, many.toArray(RateLimitQuery[]::new));

        assertThat(text)
                .contains("total_hits{domain=\"shop\",key1=\"detailed_a\\\"b\\\\c\\nd\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"detailed\"} " + (EnvoyStatistics.MOST + 1) + "\n");
        assertThat(text.lines().filter(line -> line.contains("total_hits{"))).hasSize(EnvoyStatistics.MOST + 1);
    }

    /** Clients choose the values of a detailed metric, and the keys beside a limit of their own. */
    @Test
    void labels_thatClientsMakeLong_areLeftOut() {
        String huge = "x".repeat(8_192);
        RateLimitQuery.Override own = new RateLimitQuery.Override(10, RateLimitQuery.Unit.DAY);

        String text = after(
                false,
                hits(1, "detailed", huge),
                hits(1, "detailed", huge + "y"),
                new RateLimitQuery("shop", List.of(new Descriptor(List.of(new Entry(huge, "v")), own, null)), 1),
                new RateLimitQuery("shop", List.of(new Descriptor(List.of(new Entry("short", huge)), own, null)), 1));

        assertThat(text)
                .contains("total_hits{domain=\"shop\",key1=\"detailed\"} 2\n")
                .contains("total_hits{domain=\"shop\",key1=\"override\"} 1\n")
                .contains("total_hits{domain=\"shop\",key1=\"short\"} 1\n")
                .hasSizeLessThan(8_192);
    }

    @Test
    void unknownDomains_areCountedTogether_byTheirDescriptors() {
        Descriptor descriptor = new Descriptor(List.of(new Entry("k", "v")), null, null);
        assertThat(after(
                        false,
                        new RateLimitQuery("a", List.of(descriptor), 1),
                        new RateLimitQuery("b", List.of(descriptor, descriptor), 1)))
                .contains("ratelimit_service_rate_limit_domain_not_found 3\n");
    }

    @Test
    void headers_comeFromTheVariablesOfTheOriginal() {
        assertThat(ReplyOptions.of(true, Map.of())).isEqualTo(new ReplyOptions(true, false, null));
        assertThat(ReplyOptions.of(
                                false,
                                Map.of("LIMIT_RESPONSE_HEADERS_ENABLED", "true", "LIMIT_RESET_HEADER", "X-Reset"))
                        .headers())
                .isEqualTo(new ReplyOptions.HeaderNames("RateLimit-Limit", "RateLimit-Remaining", "X-Reset"));
    }

    @Test
    void headers_areOn_byTheWordsOfTheOriginal() {
        for (String word : List.of("1", "t", "TRUE", "True")) {
            assertThat(ReplyOptions.of(false, Map.of("LIMIT_RESPONSE_HEADERS_ENABLED", word))
                            .headers())
                    .as(word)
                    .isNotNull();
        }
        for (String word : List.of("0", "F", "false", "")) {
            assertThat(ReplyOptions.of(false, Map.of("LIMIT_RESPONSE_HEADERS_ENABLED", word))
                            .headers())
                    .as(word)
                    .isNull();
        }
        assertThatThrownBy(() -> ReplyOptions.of(false, Map.of("LIMIT_RESPONSE_HEADERS_ENABLED", "on")))
                .hasMessage("LIMIT_RESPONSE_HEADERS_ENABLED is 'on'; it must be true or false");
    }

    private static String after(boolean strict, RateLimitQuery... queries) {
        try (Running running = EnvoyVectors.open(List.of(FILE), new ReplyOptions(strict, false, null))) {
            for (RateLimitQuery query : queries) {
                running.decisions().decide(query).await();
            }
            return running.statistics().text();
        }
    }

    private static RateLimitQuery hits(long hits, String... keysAndValues) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            entries.add(new Entry(keysAndValues[i], keysAndValues[i + 1]));
        }
        return new RateLimitQuery("shop", List.of(new Descriptor(entries, null, null)), hits);
    }
}
