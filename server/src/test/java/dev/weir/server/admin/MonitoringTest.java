package dev.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.TestTimeouts;
import dev.weir.server.TestServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The metrics, and the alert rules and the Grafana dashboard that use them. */
@Tag("io")
class MonitoringTest {
    private static final Path FILES = Path.of("..", "docs", "monitoring");
    private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z_]+");

    private static String scrape(TestServer server) {
        return server.get("/metrics").body();
    }

    private static Set<String> names(String text) {
        Set<String> names = new TreeSet<>();
        Matcher metric = METRIC.matcher(text);
        while (metric.find()) {
            names.add(metric.group());
        }
        return names;
    }

    @Test
    void metrics_haveHistogramsBuildAndProcess_andAllBeginWithWeir() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            server.check("{\"agent\":\"a1\",\"action\":\"ping\"}");
            // The fast path counts after it has answered.
            await().untilAsserted(() -> assertThat(scrape(server)).contains("weir_decision_seconds_count 1"));
            String text = scrape(server);
            assertThat(text)
                    .contains("weir_decision_seconds_bucket{le=\"0.001\"}")
                    .contains("weir_store_call_seconds_bucket{call=\"consume\",outcome=\"answered\",le=\"0.001\"}")
                    .contains("weir_build_info{java=\"")
                    .contains("weir_jvm_memory_used_bytes{area=\"heap\"")
                    .contains("weir_process_uptime_seconds")
                    .doesNotContain("a1");
            assertThat(text.lines().filter(line -> !line.startsWith("#"))).allMatch(line -> line.startsWith("weir_"));
        }
    }

    @Test
    void rulesAndDashboard_useMetricsThatExist() throws Exception {
        try (TestServer server = TestServer.preset("agent-hub")) {
            server.check("{\"agent\":\"a1\",\"action\":\"ping\"}");
            Set<String> known = names(scrape(server));
            for (String file : new String[] {"weir-alerts.yml", "weir-grafana.json"}) {
                Set<String> used = names(Files.readString(FILES.resolve(file)));
                assertThat(used).as(file).isNotEmpty();
                assertThat(known).as(file).containsAll(used);
            }
        }
    }

    @Test
    void rules_passTheirTests() throws Exception {
        promtool("check", "rules", "weir-alerts.yml");
        promtool("test", "rules", "weir-alerts.test.yml");
    }

    private static void promtool(String... arguments) throws Exception {
        ProcessBuilder command =
                new ProcessBuilder("promtool").directory(FILES.toFile()).redirectErrorStream(true);
        command.command().addAll(List.of(arguments));
        Process process = command.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(TestTimeouts.LONG.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }
}
