package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The short way to read a body never disagrees with the long one. */
class PlainCheckTest {
    private static final List<String> PIECES = List.of(
            "{",
            "}",
            "{",
            "}",
            ":",
            ",",
            "\"",
            "\"attributes\"",
            "\"attributes\":{",
            "\"cost\":",
            "\"id\":",
            "\"user\":\"u1\"",
            "\"ip\":\"::1\"",
            " ",
            "\t",
            "\n",
            "0",
            "1",
            "17",
            "999999999",
            "9999999999",
            "-1",
            "1.0",
            "1e3",
            "01",
            "\\",
            "\\u0041",
            "\"a\\nb\"",
            "\u00e4",
            "\u0001",
            "null",
            "true",
            "\"costs\":{}",
            "\"ttl\":\"5m\"",
            "[",
            "]",
            "<b>");

    @Test
    void usualBodies_arePlain() {
        assertThat(plain("{\"attributes\":{\"user\":\"u1\"}}").request().attributes())
                .containsEntry("user", "u1");
        CheckBody all =
                plain(" { \"id\" : \"<7>\", \"cost\": 12, \"attributes\" : { \"user\" : \"u 1\", \"ip\":\"::1\" } } ");
        assertThat(all.request().cost()).isEqualTo(12);
        assertThat(all)
                .isEqualTo(parsed(bytes(" { \"id\" : \"<7>\", \"cost\": 12, \"attributes\" : { \"user\" : \"u 1\","
                        + " \"ip\":\"::1\" } } ")));
        assertThat(plain("{\"attributes\":{}}").request().attributes()).isEmpty();
    }

    @Test
    void anyBody_isLeftToTheParser_orReadAsItWouldBe() {
        Random random = new Random(42);
        int plain = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] body = random.nextInt(4) == 0 ? soup(random) : mutated(random);
            CheckBody read = PlainCheck.read(body, CheckBody.Kind.FRAME);
            if (read != null) {
                plain++;
                assertThat(read)
                        .as(() -> new String(body, StandardCharsets.UTF_8))
                        .isEqualTo(parsed(body));
            }
        }
        assertThat(plain).isGreaterThan(1000);
    }

    private static byte[] soup(Random random) {
        StringBuilder text = new StringBuilder("{");
        for (int i = random.nextInt(12); i >= 0; i--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return bytes(text.toString());
    }

    /** A good body with some of it replaced, doubled or left out. */
    private static byte[] mutated(Random random) {
        StringBuilder text =
                new StringBuilder("{\"attributes\":{\"user\":\"u1\",\"ip\":\"::1\"},\"cost\":5,\"id\":\"x\"}");
        for (int i = random.nextInt(4); i > 0; i--) {
            int start = random.nextInt(text.length());
            int end = Math.min(text.length(), start + random.nextInt(4));
            text.replace(start, end, PIECES.get(random.nextInt(PIECES.size())));
        }
        return bytes(text.toString());
    }

    private static CheckBody plain(String body) {
        CheckBody read = PlainCheck.read(bytes(body), CheckBody.Kind.FRAME);
        assertThat(read).as(body).isNotNull();
        return read;
    }

    private static CheckBody parsed(byte[] body) {
        return CheckBody.parse(body, CheckBody.Kind.FRAME);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
