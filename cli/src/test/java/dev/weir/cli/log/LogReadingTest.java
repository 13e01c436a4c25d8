package dev.weir.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogReadingTest {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);

    @Test
    void lines_areThoseOfTheText_howeverTheInputIsCutIntoPieces() throws IOException {
        Random random = new Random(7);
        for (int round = 0; round < 50; round++) {
            List<String> expected = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 200; i++) {
                String line = "x".repeat(random.nextInt(round % 5 == 0 ? 9_000 : 40)) + i;
                expected.add(line);
                text.append(line).append(random.nextBoolean() ? "\n" : "\r\n");
            }
            assertThat(lines(text.toString(), random)).isEqualTo(expected);
        }
    }

    @Test
    void lineThatIsTooLong_isCut_andTheNextIsWhole() throws IOException {
        String text = "a".repeat(3_000_000) + "\nb\n" + "c".repeat(ByteLines.LONGEST) + "\nd";
        assertThat(lines(text, new Random(1)))
                .containsExactly("a".repeat(ByteLines.LONGEST), "b", "c".repeat(ByteLines.LONGEST), "d");
    }

    private static List<String> lines(String text, Random random) throws IOException {
        InputStream pieces = new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)) {
            @Override
            public synchronized int read(byte[] bytes, int from, int most) {
                return super.read(bytes, from, Math.min(most, 1 + random.nextInt(100_000)));
            }
        };
        ByteLines lines = new ByteLines(pieces);
        List<String> found = new ArrayList<>();
        while (lines.next()) {
            found.add(new String(lines.bytes(), lines.start(), lines.end() - lines.start(), StandardCharsets.US_ASCII));
        }
        return found;
    }

    @Test
    void times_areThoseOfJava() {
        Random random = new Random(3);
        CommonLogTime time = new CommonLogTime();
        Instant at = Instant.parse("1999-12-31T23:59:58Z");
        for (int i = 0; i < 20_000; i++) {
            at = at.plusSeconds(random.nextInt(i % 100 == 0 ? 4_000_000 : 3));
            ZoneOffset zone = ZoneOffset.ofHoursMinutes(i / 5_000 - 2, i < 10_000 ? -30 : 30);
            byte[] text = ("[" + FORMAT.format(at.atOffset(i < 10_000 && i >= 5_000 ? ZoneOffset.UTC : zone)) + "]")
                    .getBytes(StandardCharsets.US_ASCII);
            assertThat(LoggedRequest.instant(time.micros(text, 1))).isEqualTo(at);
        }
    }

    @Test
    void timesThatAreNone_areRefused() {
        CommonLogTime time = new CommonLogTime();
        for (String text : List.of(
                "31/Feb/2026:10:00:00 +0000",
                "01/Foo/2026:10:00:00 +0000",
                "01/Nov/2026:24:00:00 +0000",
                "01/Nov/2026:10:60:00 +0000",
                "01/Nov/2026 10:00:00 +0000",
                "01/Nov/2026:10:00:00 00000",
                "aa/Nov/2026:10:00:00 +0000",
                "01/Nov/2026:1a:00:00 +0000")) {
            assertThat(time.micros(text.getBytes(StandardCharsets.US_ASCII), 0))
                    .as(text)
                    .isEqualTo(CommonLogTime.NONE);
        }
    }

    @Test
    void combinedLine_givesAddressUserMethodAndPathWithoutTheQuery() {
        LoggedRequest request =
                parse("::1 - ann lee [01/Nov/2026:12:00:02 +0200] \"POST /a\\\"b?c=d HTTP/2\" 200 1 \"-\" \"x\"");
        assertThat(request).isNotNull();
        assertThat(request.at()).isEqualTo(Instant.parse("2026-11-01T10:00:02Z"));
        assertThat(request.attributes().entrySet().toString())
                .isEqualTo("[ip=::1, user=ann lee, method=POST, path=/a\\\"b]");
    }

    @Test
    void linesOfNoFormat_areNull() {
        for (String line : List.of(
                "",
                " ",
                "a",
                "a b",
                "a b c [",
                "a b c [01/Nov/2026:12:00:02 +0200]",
                "a b c [01/Nov/2026:12:00:02 +0200] \"GET / HTTP/1.1",
                "a b c [01/Nov/2026:12:00:02 +0200] \"GET / HTTP/1.1\\\"",
                " b c [01/Nov/2026:12:00:02 +0200] \"GET / HTTP/1.1\"",
                "a  c [01/Nov/2026:12:00:02 +0200] \"GET / HTTP/1.1\"",
                "a b c [01/Nov/2026:12:00:02 +0200] GET / HTTP/1.1")) {
            assertThat(parse(line)).as(line).isNull();
        }
    }

    private static LoggedRequest parse(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return new AccessLogParser().parse(bytes, 0, bytes.length);
    }
}
