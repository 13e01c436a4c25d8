package dev.weir.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFieldsTest {
    private final JsonFields fields = JsonFields.at("/type", "/a/1/b");

    @Test
    void fields_areFoundWhereverTheyAre() throws IOException {
        assertThat(fields.read("{\"x\":{\"type\":1},\"type\":\"t\",\"a\":[0,{\"b\":7.50}]}"))
                .containsExactly("t", "7.50");
        byte[] bytes = "{\"type\":true}".getBytes(StandardCharsets.UTF_8);
        assertThat(fields.read(bytes, bytes.length)).containsExactly("true", null);
    }

    @Test
    void whatComesTwice_countsAsItComesLast() throws IOException {
        assertThat(fields.read("{\"type\":\"a\",\"type\":\"b\"}")).containsExactly("b", null);
        assertThat(fields.read("{\"type\":\"a\",\"type\":null}")).containsExactly(null, null);
        assertThat(fields.read("{\"type\":\"a\",\"type\":{}}")).containsExactly(null, null);
        assertThat(fields.read("{\"a\":[0,{\"b\":1}],\"a\":{}}")).containsExactly(null, null);
        assertThat(fields.read("{\"a\":[0,{\"b\":1}],\"a\":3}")).containsExactly(null, null);
        assertThat(fields.read("{\"t\\u0079pe\":\"escaped\"}")).containsExactly("escaped", null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "{\"type\":}", "{} {}", "{'type':1}", "{\"type\":1,}", "nonsense"})
    void whatIsNoDocument_isRefused(String text) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> fields.read(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"t\"} x",
                "{\"type\":\"t\"} {\"type\":\"u\"}",
                "{\"type\":\"t\",\"x\":nonsense",
                "{\"type\":\"t\",\"x\":\"" + "cut",
                "{\"x\":[[[]]],\"type\":\"t\"",
                "/* c */ {'type':'t',}",
                "{type:\"t\"}",
                "{\"x\":.5,\"type\":\"t\"}"
            })
    void readStart_keepsWhatCameBeforeAFault(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(fields.readStart(bytes, true)).containsExactly("t", null);
    }

    @Test
    void readStart_ofACutDocument_takesNoCutValue() {
        byte[] number = "{\"type\":12".getBytes(StandardCharsets.UTF_8);
        byte[] text = "{\"type\":\"he".getBytes(StandardCharsets.UTF_8);
        byte[] nothing = "nonsense".getBytes(StandardCharsets.UTF_8);
        assertThat(fields.readStart(number, false)).containsExactly(null, null);
        assertThat(fields.readStart(number, true)).containsExactly("12", null);
        assertThat(fields.readStart(text, false)).containsExactly(null, null);
        assertThat(fields.readStart(nothing, true)).containsExactly(null, null);
        assertThat(fields.readStart(new byte[0], true)).containsExactly(null, null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1.0", "1.000", "10e-1", "0.1E+1", "1e0", "+1", "01", "\"1\""})
    void readStart_ofANumber_takesItsValue(String number) {
        byte[] bytes = ("{\"type\":" + number + "}").getBytes(StandardCharsets.UTF_8);
        assertThat(fields.readStart(bytes, true)).containsExactly("1", null);
    }

    @ParameterizedTest
    @CsvSource({"1e2, 100", "-0.0, 0", "100, 100", "12.50, 12.5", "1e999999, 1E+999999", "NaN, NaN"})
    void readStart_ofANumber_writesItInOneWay(String number, String value) {
        byte[] bytes = ("{\"type\":" + number + "}").getBytes(StandardCharsets.UTF_8);
        assertThat(fields.readStart(bytes, true)).containsExactly(value, null);
    }

    @Test
    void readStart_ofALongNumber_hasNoWayAroundItsValue() {
        String zeros = "{\"type\":1." + "0".repeat(990) + "}";
        String more = "{\"type\":1." + "0".repeat(1000) + "}";
        assertThat(fields.readStart(zeros.getBytes(StandardCharsets.UTF_8), true))
                .containsExactly("1", null);
        assertThat(fields.readStart(more.getBytes(StandardCharsets.UTF_8), true))
                .containsExactly(null, null);
    }

    /** Parsers that read characters replace such bytes by U+FFFD, and continue. */
    @Test
    void readStart_bytesThatAreNoUtf8_areStepped() {
        for (String before : new String[] {"\"x\":\"\u00FF\",", "\"type\":\"u\",\"\u00E9\":1,", "\"x\":\"\u00C3\","}) {
            byte[] bytes = ("{" + before + "\"type\":\"t\"}").getBytes(StandardCharsets.ISO_8859_1);
            assertThat(fields.readStart(bytes, true)).as(before).containsExactly("t", null);
        }
    }

    @Test
    void readStart_ofUtf16_isTheSame() {
        for (Charset charset : new Charset[] {
            StandardCharsets.UTF_16, StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE, Charset.forName("UTF-32")
        }) {
            assertThat(fields.readStart("{\"type\":\"t\"} x".getBytes(charset), true))
                    .as(charset.name())
                    .containsExactly("t", null);
            assertThat(fields.readStart("{\"type\":12".getBytes(charset), false))
                    .as("cut in " + charset)
                    .containsExactly(null, null);
        }
    }

    @Test
    void readStart_deepNestingBeforeIt_isStepped() {
        String deep = "{\"x\":" + "[".repeat(500) + "]".repeat(500) + ",\"type\":\"t\"}";
        assertThat(fields.readStart(deep.getBytes(StandardCharsets.UTF_8), true))
                .containsExactly("t", null);
    }

    @Test
    void deepNesting_isRefused() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> fields.read(deep));
    }

    @Test
    void aPointer_beginsWithASlash() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonFields.at("device"))
                .withMessageContaining("/device");
    }
}
