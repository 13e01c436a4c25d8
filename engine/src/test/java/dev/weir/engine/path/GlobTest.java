package dev.weir.engine.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource({
        "ping, ping, true",
        "ping, pings, false",
        "Compute*, ComputeSum, true",
        "Compute*, Compute, true",
        "Compute*, compute, false",
        "Compute*, Compute/x, false",
        "/api/**, /api, true",
        "/api/**, /api/, true",
        "/api/**, /api/a/b, true",
        "/api/**, /apix, false",
        "**/ai/**, /v1/ai, true",
        "**/ai/**, /v1/ai/x, true",
        "**/ai/**, /v1/air, false",
        "/a/*/c, /a/b/c, true",
        "/a/*/c, /a/b/b/c, false",
        "/a/**/c, /a/b/b/c, true",
        "a?c, abc, true",
        "a?c, a/c, false",
        "a?c, ac, false",
        "*, '', true",
        "**, /a/b, true",
        "*a*b, xaxb, true",
        "*a*b, b a, false",
        "ab*ba, aba, false",
        "**/conversations/**/messages**, /api/conversations/7/messages/2, true",
        "**/conversations/**/messages**, /api/messages/conversations/, false"
    })
    void matches_byTheRules(String pattern, String text, boolean expected) {
        assertThat(new Glob(pattern).matches(text)).isEqualTo(expected);
    }

    /** A slow and simple oracle: the pattern as a regular expression. */
    private static boolean oracle(String pattern, String text) {
        return regex(pattern).matcher(text).matches()
                || (pattern.endsWith("/**")
                        && regex(pattern.substring(0, pattern.length() - 3))
                                .matcher(text)
                                .matches());
    }

    private static Pattern regex(String pattern) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (pattern.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else {
                regex.append(c == '*' ? "[^/]*" : c == '?' ? "[^/]" : Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    @Test
    void matches_whateverTheOracleMatches() {
        Random random = new Random(7);
        int matched = 0;
        for (int i = 0; i < 200_000; i++) {
            String pattern = any(random, "ab/*?", 9);
            String text = any(random, "ab/", 9);
            boolean expected = oracle(pattern, text);
            matched += expected ? 1 : 0;
            assertThat(new Glob(pattern).matches(text))
                    .as("'%s' against '%s'", pattern, text)
                    .isEqualTo(expected);
        }
        assertThat(matched).isGreaterThan(10_000);
    }

    private static String any(Random random, String alphabet, int most) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(most); length > 0; length--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void matches_hostileTextAndPattern_endsSoon() {
        Glob glob = new Glob("**/" + "*a".repeat(60) + "b");
        String text = "/" + "a".repeat(8000);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < 20; i++) {
            assertThat(glob.matches(text)).isFalse();
            assertThat(glob.matches(text + "b")).isTrue();
        }
        // CPU time instead of wall time, because the machine may be busy.
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - begun)).isLessThan(Duration.ofSeconds(5));
    }
}
