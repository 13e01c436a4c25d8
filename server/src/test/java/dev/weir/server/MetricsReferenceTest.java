package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/metrics.md has every metric of a running server, and no other. */
@Tag("io")
class MetricsReferenceTest {
    private static final Pattern TYPE = Pattern.compile("^# TYPE (\\S+) ", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`(weir_[a-z0-9_]+)`");
    /** Which of these a JVM has depends on its version and its collector. */
    private static final String OF_EVERY_JVM = "weir_(jvm|process|system)_.*";

    @Test
    void metrics_areThoseOfTheServer() throws IOException {
        Set<String> documented = all(NAME, Files.readString(Path.of("..", "docs", "metrics.md")));
        Set<String> found;
        try (TestServer server = TestServer.preset("agent-hub")) {
            server.post("/v1/check", "{\"attributes\":{\"agent\":\"a1\"}}");
            found = all(TYPE, server.get("/metrics").body());
        }
        assertThat(documented).containsAll(found);
        found.removeIf(name -> name.matches(OF_EVERY_JVM));
        documented.removeIf(name -> name.matches(OF_EVERY_JVM));
        assertThat(found).containsAll(documented);
    }

    private static Set<String> all(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }
}
