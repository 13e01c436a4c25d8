package dev.weir.http.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Rate-limit headers, valid and malformed. */
class HeadersTest {
    @Test
    void namedLimits_areRead_overSeveralLines() {
        RateLimits limits = RateLimits.of(headers(
                "RateLimit-Policy", "\"general\";q=60;w=60",
                "RateLimit-Policy", "\"ip\";q=100;w=60, day;q=10;qu=\"tokens\"",
                "RateLimit", "\"general\";r=12;t=34, \"ip\";r=90;t=1, day;r=10"));
        assertThat(limits.limits())
                .containsExactly(
                        new RateLimits.Limit("general", 60L, 12, Duration.ofSeconds(34)),
                        new RateLimits.Limit("ip", 100L, 90, Duration.ofSeconds(1)),
                        new RateLimits.Limit("day", 10L, 10, null));
        assertThat(limits.tightest().orElseThrow().name()).isEqualTo("general");
    }

    @Test
    void classicHeaders_areRead_byTheServersClock() {
        RateLimits limits = RateLimits.of(headers(
                "Date", "Thu, 01 Jan 1970 00:01:40 GMT",
                "X-RateLimit-Limit", "60",
                "X-RateLimit-Remaining", "0",
                "X-RateLimit-Reset", "130"));
        assertThat(limits.limits()).containsExactly(new RateLimits.Limit("", 60L, 0, Duration.ofSeconds(30)));
    }

    @Test
    void malformedLists_sayNothing() {
        for (String text : List.of(
                "\"a\";r=1,", ",\"a\";r=1", "\"a;r=1", "\"a\"r=1", "\"a\";r=", "\"a\\n\";r=1", ";r=1", "\"ä\";r=1")) {
            assertThat(FieldList.parse(text)).as(text).isEmpty();
        }
        assertThat(FieldList.parse("\"a\";r=1,".repeat(70) + "\"a\";r=1")).isEmpty();
        assertThat(FieldList.parse("a".repeat(9000))).isEmpty();
        assertThat(FieldList.parse("\"a\\\"b\\\\\";r=1"))
                .containsExactly(new FieldList.Item("a\"b\\", Map.of("r", 1L)));
        assertThat(FieldList.parse("a;r=1;r=x, b;r=1234567890123456;t=-5;u=1.5"))
                .containsExactly(new FieldList.Item("a", Map.of()), new FieldList.Item("b", Map.of()));
    }

    @Property(tries = 500)
    void anyText_isReadWithoutHarm(
            @ForAll @StringLength(max = 60) @CharRange(from = '\u0000', to = '\u007f') String text) {
        FieldList.parse(text);
        FieldList.parse("\"a\";r=" + text);
        new ServerTime(0).retryAfter(headers("Retry-After", text));
    }

    @Test
    void retryAfter_isSecondsOrADate_inAllThreeForms() {
        ServerTime time = ServerTime.of(headers("Date", "Sun, 06 Nov 1994 08:49:07 GMT"), 0);
        assertThat(time.retryAfter(headers("Retry-After", "120"))).isEqualTo(Duration.ofMinutes(2));
        assertThat(time.retryAfter(headers("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(time.retryAfter(headers("Retry-After", "Sun Nov  6 08:49:37 1994")))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(time.retryAfter(headers("Retry-After", "Sunday, 06-Nov-94 08:49:37 GMT")))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(time.retryAfter(headers("Retry-After", "Sat, 05 Nov 1994 08:49:37 GMT")))
                .as("past")
                .isEqualTo(Duration.ZERO);
        assertThat(time.retryAfter(headers())).isNull();
    }

    private static HttpHeaders headers(String... namesAndValues) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            all.computeIfAbsent(namesAndValues[i], name -> new ArrayList<>()).add(namesAndValues[i + 1]);
        }
        return HttpHeaders.of(all, (name, value) -> true);
    }
}
