package dev.weir.engine.config;

import static dev.weir.engine.config.ReadConfiguration.limit;
import static dev.weir.engine.config.ReadConfiguration.limitFaults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitRuleTest {
    @ParameterizedTest
    @CsvSource({
        "5/s, 5, PT1S",
        "5/sec, 5, PT1S",
        "5/second, 5, PT1S",
        "5/m, 5, PT1M",
        "5/min, 5, PT1M",
        "5/minute, 5, PT1M",
        "5/h, 5, PT1H",
        "5/hour, 5, PT1H",
        "5/d, 5, PT24H",
        "5/day, 5, PT24H",
        "5/week, 5, PT168H",
        "5/30s, 5, PT30S",
        "5/5m, 5, PT5M",
        "5/1h30m, 5, PT1H30M",
        "5/500ms, 5, PT0.5S",
        "5/1m500ms, 5, PT1M0.5S",
        "5/10minutes, 5, PT10M",
        "1_000/min, 1000, PT1M",
        "60 / min, 60, PT1M",
        "007/s, 7, PT1S",
        "0/s, 0, PT1S",
        "1000000000000000/d, 1000000000000000, PT24H",
    })
    void rate_inEveryUnit(String text, long count, Duration period) {
        assertThat(limit("rate: " + text).rates()).isEqualTo(Map.of("default", List.of(new Rate(count, period))));
        assertThat(Rates.parse(Rates.parse(text).toString())).isEqualTo(new Rate(count, period));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "abc",
                "60",
                "-1/s",
                "1.5/s",
                "60/",
                "/min",
                "60/min/min",
                "60//min",
                "60/0s",
                "60/0ms",
                "60/37000d",
                "60/fortnight",
                "60/5",
                "60/m5",
                "60 per min",
                "60/1h 30m",
                "1000000000000001/s",
                "1e3/s",
                "0x10/s",
                "99999999999999999999999/s",
                "1/999999999999999d",
                "60min",
                "_1/s",
                "true",
                "~",
                "\"\"",
                "{}",
                "[[1/s]]",
                "[]",
                "[abc]",
                "1/s # x\n    rate: 2/s"
            })
    void rate_thatIsNone_isAFaultOnItsLine(String text) {
        assertThat(limitFaults("rate: " + text))
                .isNotEmpty()
                .allSatisfy(fault -> assertThat(fault).matches("w.yaml:[345]:\\d+: .*"));
    }

    @Test
    void rate_missing_isAFault() {
        assertThat(limitFaults("per: [user]"))
                .containsExactly("w.yaml:2:5: limit 'general' has no 'rate'; it needs one");
    }

    @Test
    void policies_followAlgorithmRateAndBurst() {
        Duration minute = Duration.ofMinutes(1);
        assertThat(limit("rate: 60/min").policies("default")).containsExactly(TokenBucket.of(60, 60, minute));
        assertThat(limit("rate: 60/min", "burst: 5").policies("default"))
                .containsExactly(TokenBucket.of(5, 60, minute));
        assertThat(limit("rate: 60/min", "algorithm: fixed-window").policies("default"))
                .containsExactly(FixedWindow.of(60, minute));
        assertThat(limit("rate: 60/min", "algorithm: sliding-window").policies("default"))
                .containsExactly(SlidingWindow.of(60, minute));
        assertThat(limit("rate: 3", "algorithm: concurrency").policies("default"))
                .containsExactly(Concurrency.of(3));
        assertThat(limit("rate: 0", "algorithm: concurrency").policies("default"))
                .containsExactly(Policy.closed());
        assertThat(limit("rate: 0/min", "burst: 5").policies("default")).containsExactly(Policy.closed());
        assertThat(limit("rate: 9/day", "algorithm: fixed-window", "calendar: Europe/Berlin")
                        .policies("default"))
                .containsExactly(CalendarWindow.perDay(9, ZoneId.of("Europe/Berlin")));
        assertThat(limit("rate: [10/s, 300/min]").policies("default"))
                .containsExactly(TokenBucket.perSecond(10), TokenBucket.perMinute(300));
    }

    @Test
    void months_areOfTheCalendar_inUtcUnlessItSaysAnother() {
        CalendarWindow month = new CalendarWindow(1000, ChronoUnit.MONTHS, ZoneId.of("UTC"));
        LimitRule limit = limit("rate: 1_000 / month");
        assertThat(limit.policies("default")).containsExactly(month);
        assertThat(limit.algorithm()).isEqualTo(Algorithm.FIXED_WINDOW);
        assertThat(limit.rates().get("default")).hasToString("[1000/month]");
        assertThat(limit("rate: 1000/month", "algorithm: fixed-window").policies("default"))
                .containsExactly(month);
        assertThat(limit("rate: 1000/month", "calendar: Europe/Berlin").policies("default"))
                .containsExactly(new CalendarWindow(1000, ChronoUnit.MONTHS, ZoneId.of("Europe/Berlin")));
        assertThat(limit("rate: [100/day, 1000/month]", "algorithm: fixed-window", "calendar: UTC")
                        .policies("default"))
                .containsExactly(CalendarWindow.perDay(100, ZoneId.of("UTC")), month);
        assertThat(limit("by: plan", "rate: { pro: 1000/month, default: 0/s }").policies("pro"))
                .containsExactly(month);
        assertThat(limit("rate: 1000/week", "algorithm: fixed-window", "calendar: UTC")
                        .policies("default"))
                .containsExactly(new CalendarWindow(1000, ChronoUnit.WEEKS, ZoneId.of("UTC")));
    }

    @Test
    void policies_ofRows() {
        LimitRule limit = limit("by: plan", "rate: { free: 1/s, paid: [10/s, 100/min], default: 0/s }");

        assertThat(limit.policies("paid")).containsExactly(TokenBucket.perSecond(10), TokenBucket.perMinute(100));
        assertThat(limit.policies(limit.row("free"))).containsExactly(TokenBucket.perSecond(1));
        assertThat(limit.policies(limit.row("gold"))).containsExactly(Policy.closed());
        assertThat(limit.policies(limit.row(null))).containsExactly(Policy.closed());
        assertThatThrownBy(() -> limit.policies("gold"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'general' has no row 'gold'; it has free, paid, default");
    }

    @Test
    void burst_byRow_fallsBackToItsDefaultThenToTheRate() {
        LimitRule with = limit("by: plan", "rate: { a: 1/s, b: 2/s, default: 3/s }", "burst: { a: 7, default: 9 }");
        assertThat(with.policies("a").get(0).capacity()).isEqualTo(7);
        assertThat(with.policies("b").get(0).capacity()).isEqualTo(9);

        LimitRule without = limit("by: plan", "rate: { a: 1/s, b: 2/s, default: 3/s }", "burst: { a: 7 }");
        assertThat(without.policies("b").get(0).capacity()).isEqualTo(2);
    }

    @Test
    void cost_inEveryForm() {
        assertThat(limit("rate: 1/s").cost()).isEqualTo(new CostRule.Requested());
        assertThat(limit("rate: 1/s", "cost: 5").cost()).isEqualTo(new CostRule.Fixed(5));
        assertThat(limit("rate: 1/s", "cost: tokens").cost()).isEqualTo(new CostRule.Attribute("tokens"));
        assertThat(limit("rate: 1/s", "cost: { type: { Compute: 5, default: 1 } }")
                        .cost())
                .isEqualTo(new CostRule.Rows("type", Map.of("Compute", 5L, "default", 1L)));
        assertThat(limit("rate: 1/s", "by: plan", "cost: { free: 2, default: 1 }")
                        .cost())
                .isEqualTo(new CostRule.Rows("plan", Map.of("free", 2L, "default", 1L)));
    }

    @Test
    void match_inEveryForm() {
        assertThat(limit("rate: 1/s", "match: { a: x, b: [y, z*], c: null, d: [w, null], e: 5, f: \"null\" }")
                        .match())
                .isEqualTo(Map.of(
                        "a", Condition.anyOf("x"),
                        "b", Condition.anyOf("y", "z*"),
                        "c", Condition.ABSENT,
                        "d", new Condition(List.of("w"), true),
                        "e", Condition.anyOf("5"),
                        "f", Condition.anyOf("null")));
    }

    @Test
    void per_withAlternatives() {
        assertThat(limit("rate: 1/s", "per: [tenant, \"user|ip\", a | b]").per())
                .containsExactly(List.of("tenant"), List.of("user", "ip"), List.of("a", "b"));
        assertThat(limit("rate: 1/s", "per: user").per()).containsExactly(List.of("user"));
        assertThat(limit("rate: 1/s", "per: []").per()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "rate: 1/s, burst: 0 # w.yaml:4:12: burst is '0'; it must be 1 to 1000000000000000",
                "rate: 1/s, burst: many # w.yaml:4:12: burst is 'many'; it must be a whole number, 1 to 1000000000000000",
                "'rate: [1/s, 9/min], burst: 5' # w.yaml:4:5: burst is given beside several rates; leave it out, or make"
                        + " two limits of them",
                "rate: 1/s, algorithm: fixed-window, burst: 5 # w.yaml:5:5: burst is for the algorithm token-bucket;"
                        + " fixed-window has none",
                "rate: 1/s, algorithm: token-buckets # w.yaml:4:16: algorithm is 'token-buckets'; it must be token-bucket"
                        + " or fixed-window or sliding-window or concurrency; did you mean 'token-bucket'?",
                "rate: 1/s, algorithm: concurrency # w.yaml:3:11: rate is '1/s'; for concurrency it must be a plain"
                        + " number, without a period",
                "rate: 60 # w.yaml:3:11: rate is '60'; it needs a period: did you mean 60/min?",
                "rate: 1/s, warn: 0% # w.yaml:4:11: warn is '0%'; it must be 1% to 100%",
                "rate: 1/s, warn: 101% # w.yaml:4:11: warn is '101%'; it must be 1% to 100%",
                "rate: 1/s, warn: 80 # w.yaml:4:11: warn is '80'; it must be 1% to 100%; did you mean 80%?",
                "rate: 1/s, cost: 0 # w.yaml:4:11: cost is '0'; it must be 1 to 1000000000000000",
                "rate: 1/s, cost: -1 # w.yaml:4:11: cost is '-1'; it must be a whole number from 1, an attribute's name, or"
                        + " rows",
                "rate: 1/s, cost: 1.5 # w.yaml:4:11: cost is '1.5'; it must be a whole number from 1, an attribute's name,"
                        + " or rows",
                "rate: 1/s, cost: { a: 1 } # w.yaml:4:11: cost has rows, but no 'by' names the attribute that chooses one; give"
                        + " the limit a 'by', or write cost: { ATTRIBUTE: { VALUE: 5, default: 1 } }",
                "rate: 1/s, cost: { a: { b: 1 } } # w.yaml:4:13: cost has no row 'default'; it needs one for everything"
                        + " else",
                "rate: 1/s, by: plan # w.yaml:4:5: by is 'plan', but rate has no rows to choose from",
                "rate: { default: 1/s } # w.yaml:3:11: rate has rows, but no 'by' names the attribute that chooses one",
                "by: plan, rate: { free: 1/s } # w.yaml:4:11: rate has no row 'default'; it needs one for requests whose"
                        + " 'plan' is absent or has no row",
                "rate: 1/s, 'per: [a, \"b|a\"]' # w.yaml:4:14: per names 'a' twice; once is enough",
                "rate: 1/s, 'per: [\"a b\"]' # w.yaml:4:11: per is 'a b'; it must be an attribute's name, or several with"
                        + " '|' between them",
                "rate: 1/s, calendar: UTC # w.yaml:4:5: calendar is for the algorithm fixed-window; this limit's is"
                        + " token-bucket",
                "rate: 1/5m, algorithm: fixed-window, calendar: UTC # w.yaml:3:11: rate is not possible: the period is 5m;"
                        + " with 'calendar' it must be a second, a minute, an hour, a day, a week or a month",
                "rate: 1/month, algorithm: sliding-window # w.yaml:3:11: rate is not possible: a month has no fixed length;"
                        + " it needs 'algorithm: fixed-window' and 'calendar', such as UTC",
                "rate: [10/s, 1/month] # w.yaml:3:12: rate is not possible: a month has no fixed length; it needs"
                        + " 'algorithm: fixed-window' and 'calendar', such as UTC",
                "rate: 1/month, burst: 5 # w.yaml:4:5: burst is for the algorithm token-bucket; fixed-window has none",
                "rate: 1/monht # w.yaml:3:11: rate is '1/monht'; its period must be s, min, hour, day, month or a duration"
                        + " such as 30s, 5m, 1h30m or 500ms; did you mean 'month'?",
                "rate: 1/s, shadow: 1 # w.yaml:4:13: shadow is '1'; it must be true or false",
                "rate: 1/s, on-store-failure: open # w.yaml:4:23: on-store-failure is 'open'; it must be deny or allow",
                "rate: 1/s, match: { a: [] } # w.yaml:4:17: a is an empty list, which nothing matches; give it a value, or"
                        + " null for absent",
            })
    void fault_hasItsPlaceAndWhatIsNeeded(String lines, String fault) {
        String[] split = lines.split(", (?=[a-z-]+:|')");
        for (int i = 0; i < split.length; i++) {
            split[i] = split[i].replaceAll("^'|'$", "");
        }
        assertThat(limitFaults(split)).containsExactly(fault);
    }

    @Test
    void burstRow_thatRateHasNot_isAFault() {
        assertThat(limitFaults("by: p", "rate: { aa: 1/s, default: 1/s }", "burst: { ab: 1 }"))
                .containsExactly("w.yaml:5:14: burst has a row 'ab' that rate does not have; did you mean 'aa'?");
    }

    @Test
    void numbersThatCannotBeExact_areAFaultAtTheRate() {
        assertThat(limitFaults("rate: 999999999999989/36500d"))
                .singleElement()
                .asString()
                .startsWith("w.yaml:3:11: rate is not possible: ")
                .contains("cannot be kept exactly");
    }

    @Test
    void limit_withoutAName_isAFault() {
        assertThat(ReadConfiguration.faults("limits:\n  - rate: 1/s\n  - name: \"a b\"\n    rate: 1/s\n"))
                .containsExactly(
                        "w.yaml:2:5: a limit has no 'name'; it needs one",
                        "w.yaml:3:11: name is 'a b'; it must be 1 to 64 letters, digits, '_', '.' or '-', and not begin"
                                + " with '.' or '-'");
    }

    @Test
    void onStoreFailure_isTheFilesUnlessTheLimitSays() {
        Configuration configuration = ReadConfiguration.accept("""
                on-store-failure: allow
                limits:
                  - { name: a, rate: 1/s }
                  - { name: b, rate: 1/s, on-store-failure: deny, scope: resource, shadow: true }
                """);
        assertThat(configuration.limit("a").onStoreFailure()).isEqualTo(FailurePolicy.ALLOW);
        assertThat(configuration.limit("b").onStoreFailure()).isEqualTo(FailurePolicy.DENY);
        assertThat(configuration.limit("b").scope()).isEqualTo("resource");
        assertThat(configuration.limit("b").shadow()).isTrue();
        assertThat(configuration.limit("c")).isNull();
    }
}
