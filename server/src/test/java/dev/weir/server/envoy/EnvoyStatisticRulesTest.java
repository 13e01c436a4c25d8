package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.envoy.EnvoyVectors.Running;
import dev.weir.server.envoy.RateLimitQuery.Descriptor;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules by which envoyproxy/ratelimit names the series of its statistics, and counts hits near and over a limit. */
class EnvoyStatisticRulesTest {
    private static final String FILE = """
            domain: d
            descriptors:
              - { key: tenant, rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: host, value: "eu-*", rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: topic, value: "a*z", rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: model, value: "m*n*o", rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: device, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: bucket, value: "logs/*", share_threshold: true, rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: name, value: anna, rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: name, value: "an*", share_threshold: true, rate_limit: { unit: day, requests_per_unit: 50 } }
              - { key: page, value: "/shop*end", share_threshold: true, value_to_metric: true, rate_limit: { unit: day, requests_per_unit: 50 } }
              - key: plan
                value_to_metric: true
                descriptors:
                  - key: verb
                    value_to_metric: true
                    descriptors:
                      - { key: seat, rate_limit: { unit: day, requests_per_unit: 50 } }
                      - { key: badge, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 50 } }
                  - key: task
                    value: "run*"
                    value_to_metric: true
                    descriptors:
                      - { key: seat, rate_limit: { unit: day, requests_per_unit: 50 } }
              - key: zone
                value: "zone/*"
                share_threshold: true
                value_to_metric: true
                descriptors:
                  - { key: verb, rate_limit: { unit: day, requests_per_unit: 50 } }
                  - { key: badge, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 50 } }
                  - key: rack
                    value: "r-*"
                    descriptors:
                      - { key: seat, rate_limit: { unit: day, requests_per_unit: 50 } }
            """;

    private static final Pattern LABEL = Pattern.compile(",key\\d+=\"([^\"]*)\"");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "tenant=t7                       | tenant",
                "host=eu-7                       | host_eu-*",
                "host=us-7                       | none",
                "topic=abcz                      | topic_a*z",
                "topic=az                        | topic_a*z",
                "topic=abc                       | none",
                "topic=xaz                       | none",
                "model=m1n2o                     | model_m*n*o",
                "model=mno                       | model_m*n*o",
                "model=m1o                       | none",
                "device=d9                       | device_d9",
                "plan=pro,verb=PUT,seat=9        | plan_pro.verb_PUT.seat",
                "plan=,verb=PUT,seat=9           | plan.verb_PUT.seat",
                "plan=pro,verb=,seat=9           | plan_pro.verb.seat",
                "plan=,verb=,seat=9              | plan.verb.seat",
                "plan=pro,verb=PUT,badge=9       | plan_pro.verb_PUT.badge_9",
                "plan=pro,task=runner,seat=9     | plan_pro.task_runner.seat",
                "bucket=logs/2026                | bucket_logs/*",
                "name=anna                       | name_anna",
                "name=anton                      | name_an*",
                "page=/shop/cart/end             | page_/shop*end",
                "zone=zone/4,verb=PUT            | zone_zone/*.verb",
                "zone=zone/4,badge=9             | zone_zone/*.badge_9",
                "zone=zone/4,rack=r-2,seat=9     | zone_zone/*.rack_r-*.seat",
            })
    void statistics_haveTheKeysOfTheOriginal(String descriptor, String key) {
        List<Entry> entries = new ArrayList<>();
        for (String entry : descriptor.split(",", -1)) {
            String[] parts = entry.split("=", 2);
            entries.add(new Entry(parts[0], parts[1]));
        }
        try (Running running = EnvoyVectors.open(List.of(FILE), ReplyOptions.DEFAULT)) {
            running.decisions()
                    .decide(new RateLimitQuery("d", List.of(new Descriptor(entries, null, null)), 1))
                    .await();

            assertThat(key(running.statistics().text())).isEqualTo(key);
        }
    }

    /** The labels of the only series as the original joins them; null if there is none. */
    private static String key(String statistics) {
        String hits = statistics
                .lines()
                .filter(line -> line.startsWith("ratelimit_service_rate_limit_total_hits{"))
                .findAny()
                .orElse(null);
        if (hits == null) {
            return null;
        }
        Matcher label = LABEL.matcher(hits);
        List<String> keys = new ArrayList<>();
        while (label.find()) {
            keys.add(label.group(1));
        }
        return String.join(".", keys);
    }

    /**
     * Hits beyond the limit are over it; those within it and beyond four fifths of it, rounded down, are near it. Hits of a
     * request count as within the limit only if all of them are. A count beyond the limit exists only in strict mode.
     */
    @ParameterizedTest
    @CsvSource({
        "50, 30,  5, 0,  0, 5, false",
        "50, 38,  4, 0,  2, 4, false",
        "50, 45,  5, 0,  5, 5, false",
        "50, 48,  5, 3,  2, 0, false",
        "50, 35, 20, 5, 10, 0, false",
        "50, 50,  2, 2,  0, 0, false",
        " 7,  4,  1, 0,  0, 1, false",
        " 7,  5,  1, 0,  1, 1, false",
        "50, 60,  4, 4,  0, 0, true",
    })
    void hits_areNearAndOver(
            long limit, long before, long hits, long over, long near, long within, boolean onlyStrict) {
        assertHits(true, limit, before, hits, over, near, within);
        if (!onlyStrict) {
            assertHits(false, limit, before, hits, over, near, within);
        }
    }

    private static void assertHits(
            boolean strict, long limit, long before, long hits, long over, long near, long within) {
        String file = "domain: d\ndescriptors:\n  - { key: k, rate_limit: { unit: hour, requests_per_unit: " + limit
                + " } }\n";
        try (Running running = EnvoyVectors.open(List.of(file), new ReplyOptions(strict, false, null))) {
            decide(running, before);
            String earlier = running.statistics().text();

            decide(running, hits);

            String later = running.statistics().text();
            for (String kind : List.of("total_hits", "over_limit", "near_limit", "within_limit")) {
                long expected = switch (kind) {
                    case "total_hits" -> hits;
                    case "over_limit" -> over;
                    case "near_limit" -> near;
                    default -> within;
                };
                assertThat(count(later, kind) - count(earlier, kind))
                        .as(kind + (strict ? " (strict)" : ""))
                        .isEqualTo(expected);
            }
        }
    }

    private static void decide(Running running, long hits) {
        running.decisions()
                .decide(new RateLimitQuery(
                        "d", List.of(new Descriptor(List.of(new Entry("k", "v")), null, null)), hits))
                .await();
    }

    private static long count(String statistics, String kind) {
        Matcher sample =
                Pattern.compile("rate_limit_" + kind + "\\{[^}]*} (\\d+)").matcher(statistics);
        assertThat(sample.find()).isTrue();
        return Long.parseLong(sample.group(1));
    }
}
