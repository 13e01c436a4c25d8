package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class KeyTest {
    @Test
    void text_ofValuesThatContainTheSeparator_differs() {
        assertThat(Key.of("user", "a:b").text()).isEqualTo("user:a%003Ab");
        assertThat(Key.of("user", "a", "b").text()).isEqualTo("user:a:b");
        assertThat(Key.of("user", "a:b")).isNotEqualTo(Key.of("user", "a", "b"));
        assertThat(Key.of("user", "").text()).isNotEqualTo(Key.of("user").text());
    }

    @Test
    void text_ofHostileValues_isPrintableAndSurvivesUtf8() {
        String text = Key.of("s", "\u0000\n{tag}%\uD800x\uDC00\u009F", "😀").text();
        assertThat(text).isEqualTo("s:%0000%000A%007Btag%007D%0025%D800x%DC00%009F:😀");
        assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                .isEqualTo(text);
    }

    @Property
    void keys_withDifferentParts_haveDifferentTextsAndHashes(
            @ForAll @Size(max = 3) List<@CharRange(from = '%', to = ':') String> one,
            @ForAll @Size(max = 3) List<@CharRange(from = '%', to = ':') String> other) {
        Key first = Key.of("s", one);
        Key second = Key.of("s", other);
        boolean same = one.equals(other);
        assertThat(first.equals(second)).isEqualTo(same);
        assertThat(first.text().equals(second.text())).isEqualTo(same);
        assertThat(first.hash() == second.hash()).isEqualTo(same);
    }

    @Property
    void text_ofAnyCharacters_isInjective(@ForAll String one, @ForAll String other) {
        assertThat(Key.of("s", one).text().equals(Key.of("s", other).text())).isEqualTo(one.equals(other));
    }

    @Test
    void hash_ofScopeAndValue_isThatOfThePrefixAndTheRest() {
        assertThat(KeyHash.then(KeyHash.of("scope"), "some value"))
                .isEqualTo(Key.of("scope", "some value").hash());
        assertThat(Key.of("scope", "abcd").hash())
                .isNotEqualTo(Key.of("scope", "abcd\u0000").hash());
    }

    @Test
    void and_oneMoreValue_isTheKeyOfAllValues() {
        Key key = Key.of("scope").and("a").and("b:c").and("");
        assertThat(key).isEqualTo(Key.of("scope", "a", "b:c", ""));
        assertThat(key.text()).isEqualTo(Key.of("scope", "a", "b:c", "").text());
    }

    @Test
    void toString_showsNoValues() {
        assertThat(Key.of("user", "alice@example.org")).hasToString("Key[user+1]");
    }

    @Test
    void nullParts_areNamed() {
        assertThatNullPointerException()
                .isThrownBy(() -> Key.of("users", "a", null))
                .withMessage("value 1 of a key is null; it must name the subject of the budget");
        assertThatNullPointerException()
                .isThrownBy(() -> Key.of("users").and(null))
                .withMessage("value 0 of a key is null; it must name the subject of the budget");
        assertThatNullPointerException()
                .isThrownBy(() -> Key.of(null, "a"))
                .withMessage("scope is null; it must be a limit's name or the like");
    }
}
