import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;

/** Writes so many lines of an access log in the combined format: always the same ones. */
public final class AccessLog {
    private static final int ADDRESSES = 20_000;
    private static final int REQUESTS_A_SECOND = 200;

    private AccessLog() {}

    public static void main(String[] args) throws IOException {
        long lines = Long.parseLong(args[0]);
        Random random = new Random(1);
        DateTimeFormatter format = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
        Instant start = Instant.parse("2026-11-01T00:00:00Z");
        String time = "";
        try (Writer out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII), 1 << 20)) {
            for (long i = 0; i < lines; i++) {
                if (i % REQUESTS_A_SECOND == 0) {
                    time = start.plusSeconds(i / REQUESTS_A_SECOND).atOffset(ZoneOffset.UTC).format(format);
                }
                // The fourth power of an even share: few addresses send most requests.
                double share = random.nextDouble();
                int address = (int) (Math.pow(share, 4) * ADDRESSES);
                int path = random.nextInt(503);
                out.write("10." + address % 7 + "." + (address >> 8) + "." + (address & 255) + " - - [" + time
                        + "] \"GET " + (path < 500 ? "/api/v1/items/" + path + "?page=" + path % 7 : "/static/app.css")
                        + " HTTP/1.1\" 200 " + random.nextInt(9_000)
                        + " \"https://shop.example/a/b\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"
                        + " Chrome/130.0 Safari/537.36\"\n");
            }
        }
    }
}
