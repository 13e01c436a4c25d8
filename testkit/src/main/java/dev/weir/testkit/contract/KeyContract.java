package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Distinct keys never share a budget, whatever characters they contain. */
public abstract class KeyContract extends ContractPart {
    private static final Policy TEN = FixedWindow.of(10, DAY);

    @Test
    void consume_otherKeysAreExhausted_isNotTouched() {
        for (Policy policy : everyPolicy()) {
            consume(Key.of("limit", "a"), policy, policy.capacity());
            assertAdmitted(consume(Key.of("limit", "b"), policy, policy.capacity()), 0);
            assertAdmitted(consume(Key.of("limit", "a", policy.toString()), policy, policy.capacity()), 0);
            assertAdmitted(consume(Key.of("other", "a", policy.toString()), policy, policy.capacity()), 0);
            await(store().reset(List.of(Key.of("limit", "a"), Key.of("limit", "b"))));
        }
    }

    @Test
    void consume_keysThatLookAlike_areDifferentBudgets() {
        String longText = "x".repeat(65_536);
        assertAllApart(List.of(
                Key.of("a:b"),
                Key.of("a", "b"),
                Key.of("a", "b", ""),
                Key.of("a", "", "b"),
                Key.of("", "a", "b"),
                Key.of("a:", "b"),
                Key.of("a", ":b"),
                Key.of("a%003Ab"),
                Key.of("a%3Ab"),
                Key.of("a%", "b"),
                Key.of("a"),
                Key.of("a", ""),
                Key.of("a", "", ""),
                Key.of(""),
                Key.of("", ""),
                Key.of("A", "b"),
                Key.of("a ", "b"),
                Key.of(" a", "b"),
                Key.of("b", "a"),
                Key.of(longText),
                Key.of(longText + "x"),
                Key.of("x", longText),
                Key.of(longText, "x")));
    }

    @Test
    void consume_hostileCharacters_areDifferentBudgets() {
        List<String> texts =
                new ArrayList<>(List.of("\0", "\0\0", "\n", "\r\n", "\t", "\uD800", "\uDC00", "\uDC00\uD800"));
        texts.addAll(List.of("\uD83D\uDE00", "\uFFFD", "?\uFFFD", "\u00E9", "e\u0301", "\u200B", "\uFEFF", "\u202E"));
        texts.addAll(List.of("\u007F", "\u0085", "\u2028"));
        String plain = "{ } {a} {a a} {} % %% %25 %0000 * ? [a] ' \" ';-- \\0 \\ \\\\ $ ${a} null NULL 0 00 -1 1e3";
        texts.addAll(List.of(plain.split(" ")));
        List<Key> keys = new ArrayList<>();
        texts.forEach(text -> keys.add(Key.of("hostile", text)));
        texts.forEach(text -> keys.add(Key.of(text, "hostile")));
        assertAllApart(keys);
    }

    @Test
    void consume_limitsThatShareAKeysValues_areSeparatedByTheirScope() {
        Policy bucket = TokenBucket.of(3, 1, Duration.ofDays(3_650));
        Policy sliding = SlidingWindow.of(4, DAY);
        consume(Key.of("requests", "alice"), bucket, 3);
        consume(Key.of("exports", "alice"), sliding, 1);
        assertRefused(consume(Key.of("requests", "alice"), bucket, 1));
        assertThat(remaining(Key.of("exports", "alice"), sliding)).isEqualTo(3);
        assertThat(remaining(Key.of("requests", "bob"), bucket)).isEqualTo(3);
    }

    @Test
    void acquire_hostileKeysAndIds_areHeldApart() {
        Policy one = Concurrency.of(1);
        List<String> texts = List.of("a:b", "a", "\0", "{a}", "%", "\uD800", "\uDC00", "\uFFFD", "'", " ", "*");
        for (String text : texts) {
            assertAdmitted(await(store().acquire(text, List.of(Charge.of(Key.of("s", text), one)), MINUTE)), 0);
        }
        for (String text : texts) {
            assertThat(await(store().release(text))).as("%s", text).isTrue();
            assertThat(remaining(Key.of("s", text), one)).isEqualTo(1);
        }
    }

    @Test
    void reset_ofOneKey_leavesThoseThatLookAlike() {
        List<Key> keys = List.of(Key.of("a:b"), Key.of("a", "b"), Key.of("a", "b", ""), Key.of("a*"), Key.of("a"));
        keys.forEach(key -> consume(key, TEN, 4));
        await(store().reset(List.of(Key.of("a", "b"))));
        for (Key key : keys) {
            assertThat(remaining(key, TEN)).as(key.text()).isEqualTo(key.equals(Key.of("a", "b")) ? 10 : 6);
        }
    }

    /** Each key spends a different amount. If two keys shared a budget, one of them would show both amounts. */
    private void assertAllApart(List<Key> keys) {
        Policy policy = FixedWindow.of(1_000_000, DAY);
        for (int i = 0; i < keys.size(); i++) {
            assertAdmitted(consume(keys.get(i), policy, i + 1), 1_000_000 - i - 1);
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(remaining(keys.get(i), policy)).as("key %s", i).isEqualTo(1_000_000 - i - 1);
        }
    }
}
