package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class FrameTest {
    @Test
    void parse_ofAWellFormedFrame_hasWhatItsTypeNeeds() {
        Frame frame = Frame.parse("{\"type\":\"message\",\"to\":\"b\",\"text\":\"hi\",\"id\":\"7\",\"more\":[1]}");
        assertThat(frame.type()).isEqualTo("message");
        assertThat(frame.text("to")).isEqualTo("b");
        assertThat(frame.answer("sent").encode()).isEqualTo("{\"type\":\"sent\",\"id\":\"7\"}");
    }

    @Test
    void parse_ofAnythingElse_saysWhatIsWrong() {
        for (String hostile : List.of(
                "{\"type\":\"ping\",\"id\":" + "9".repeat(5000) + "}",
                "{\"type\":\"ping\",\"id\":1e999999999}",
                "{\"type\":\"ping\",\"id\":1.5}",
                "{\"type\":\"\"}",
                "{\"type\":\"" + "x".repeat(65) + "\"}",
                "{\"a\":".repeat(3000),
                "{\"type\":\"message\",\"to\":\"b\",\"text\":\"" + "x".repeat(2049) + "\"}",
                "\u0000",
                "\ud800")) {
            assertThatThrownBy(() -> Frame.parse(hostile)).isInstanceOf(HubError.class);
        }
    }

    @Test
    void parse_ofGarbage_neverFailsOtherwise() {
        Random random = new Random(42);
        String seed =
                "{\"type\":\"channel_publish\",\"channel\":\"c\",\"text\":\"\\u00e4 \\ud83d\",\"id\":-12.5e3,\"x\":[{},null]}";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder(seed);
            for (int j = random.nextInt(6); j >= 0; j--) {
                text.setCharAt(
                        random.nextInt(text.length()), (char) random.nextInt(random.nextBoolean() ? 128 : 65536));
            }
            text.setLength(random.nextInt(text.length() + 1));
            try {
                Frame.parse(text.toString());
            } catch (HubError expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }
    }
}
