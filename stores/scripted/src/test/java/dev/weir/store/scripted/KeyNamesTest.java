package dev.weir.store.scripted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Key;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyNamesTest {
    private static final String LONG = "x".repeat(70_000);

    private final KeyNames names = new KeyNames("weir");

    @Test
    void budget_ofKeysOfAnyLength_isShortAndNobodyElses() {
        Set<KeyName> made = new HashSet<>();
        List<Key> keys = List.of(
                Key.of(LONG),
                Key.of(LONG + "x"),
                Key.of(LONG, "x"),
                Key.of(LONG, ""),
                Key.of("x", LONG),
                Key.of("x", LONG, ""),
                Key.of("x", "", LONG),
                Key.of("y" + LONG),
                Key.of("x", "ü".repeat(1_990)),
                Key.of("x", text(names.budget(Key.of("x", LONG)).bytes())));
        for (Key key : keys) {
            made.add(names.budget(key));
            assertThat(names.budget(key).bytes().length).isLessThan(8_192);
        }
        assertThat(made).hasSameSizeAs(keys);
    }

    @Test
    void budget_ofALongKey_beginsWithItsScope() {
        assertThat(text(names.budget(Key.of("general", LONG)).bytes())).contains("}bgeneral:");
        assertThat(text(names.budget(Key.of(LONG, "u1")).bytes())).contains("}b" + KeyNames.escaped(LONG) + ":");
    }

    @Test
    void budget_ofAllLimitsOfOneHolder_haveOneTag() {
        assertThat(names.budget(Key.of("general", LONG)).tag())
                .isEqualTo(names.budget(Key.of("exports", LONG)).tag());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Keys can identify people, and messages get into logs. */
    @Test
    void redacted_namesNoKey() {
        assertThat(KeyNames.redacted("WEIR the value of weir:{3f}blimit:user=ann is no state of Weir"))
                .matches("WEIR the value of weir:\\{3f}b\\{[0-9a-f]{8}…} is no state of Weir");
        assertThat(KeyNames.redacted(
                        "WEIR weir:{00}bx is no state of Weir ann holds a list, which is no state of Weir"))
                .matches("WEIR weir:\\{00}b\\{[0-9a-f]{8}…} holds a list, which is no state of Weir");
        assertThat(KeyNames.redacted("WEIR something of weir:{3f}buser=ann is odd"))
                .matches("WEIR something of weir:\\{3f}b\\{[0-9a-f]{8}…}");
        assertThat(KeyNames.redacted("WEIR the value of weir:{3f}m is no clock of Weir"))
                .isEqualTo("WEIR the value of weir:{3f}m is no clock of Weir");
        assertThat(KeyNames.redacted("WEIR of nothing")).isEqualTo("WEIR of nothing");
    }
}
