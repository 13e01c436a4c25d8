package dev.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.TestServer;
import dev.weir.server.WeirServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change that cannot be written is refused, logged once, and reported by readiness until a write succeeds. */
@Tag("io")
class SettingsWritesTest {
    private static final String PATH = "/api/admin/rate-limits/defaults";
    private static final String CHANGE = "{\"limits\":{\"general\":{\"default\":\"50/min\"}}}";

    @Test
    void changeThatCannotBeWritten_isRefused_loggedOnce_andShownUntilOneIs(@TempDir Path data) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger(WeirServer.class.getName());
        Handler handler = collecting(lines);
        logger.addHandler(handler);
        try (TestServer server = TestServer.yaml(
                "version: 1\nstore: memory\nlimits:\n  - { name: general, per: [user], rate: 60/min }\n",
                options -> options.withData(data))) {
            // As on a full disk, the new content cannot be written.
            Path inTheWay = Files.createDirectory(data.resolve("settings.json.tmp"));
            Path inside = Files.createFile(inTheWay.resolve("x"));

            for (int i = 0; i < 3; i++) {
                HttpResponse<String> refused = server.admin("PUT", PATH, CHANGE);
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
                assertThat(refused.body()).contains("could not be written");
            }
            assertThat(lines).hasSize(1);
            assertThat(lines.get(0)).contains("changes of the settings are refused", "settings.json");
            assertThat(server.get("/health/ready").statusCode()).isEqualTo(200);
            assertThat(server.get("/health/ready").body()).contains("\"settings\":\"changes cannot be written\"");

            Files.delete(inside);
            Files.delete(inTheWay);
            HttpResponse<String> made = server.admin("PUT", PATH, CHANGE);
            assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
            assertThat(lines).hasSize(2);
            assertThat(server.get("/health/ready").body()).doesNotContain("settings");
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static Handler collecting(List<String> lines) {
        return new Handler() {
            @Override
            public void publish(LogRecord event) {
                lines.add(event.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
