package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Time on the dashboard: one range for the page, zoom, pause, latencies, what survives a restart, and use of limits. */
@Tag("io")
class DashboardTimeTest {
    private static final String YAML = """
            version: 1
            limits:
              - { name: heavy, match: { action: task_submit }, per: [agent], rate: 10/day }
              - { name: light, match: { action: ping }, per: [agent], rate: 120/day, shadow: true }
            """;

    @TempDir
    Path directory;

    private TestServer server;
    private Chromium.Window window;
    private Page page;

    @BeforeEach
    void open() {
        server = start();
        window = Chromium.open();
        page = window.page;
    }

    private TestServer start() {
        return TestServer.yaml(YAML, options -> options.withData(directory));
    }

    @AfterEach
    void close() {
        try {
            window.assertBehaved();
        } finally {
            window.close();
            server.close();
        }
    }

    private void check(String agent, String action, int times) {
        for (int i = 0; i < times; i++) {
            server.check(TestServer.JSON
                    .createObjectNode()
                    .put("agent", agent)
                    .put("action", action)
                    .toString());
        }
    }

    private void show(String address) {
        window.visit(server, "/#/" + address);
        assertThat(page.locator(".live")).hasText("Live");
    }

    private Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private String hash() {
        return (String) window.run("() => location.hash");
    }

    private static long sum(JsonNode values) {
        long sum = 0;
        for (JsonNode value : values) {
            sum += value.asLong();
        }
        return sum;
    }

    @Test
    void range_isThatOfTheWholePage() {
        check("a1", "task_submit", 13);
        show("overview");
        assertThat(button("15 min")).hasAttribute("aria-pressed", "true");
        assertThat(page.locator("#tile-denied")).hasText("3");
        assertThat(page.locator(".tile").first()).containsText("last 15 min");
        button("1 day").click();
        assertThat(hash()).isEqualTo("#/overview?range=1d");
        assertThat(page.locator(".tile").first()).containsText("last day");
        assertThat(page.locator("#tile-denied")).hasText("3");
        assertThat(page.locator("#tile-denied-by")).hasText("3 limit");
        assertThat(page.locator("#series-reasons")).hasText("Denied: 3 limit, last day.");
        page.locator(".nav a").nth(2).click();
        assertThat(hash()).isEqualTo("#/limits?range=1d");
        assertThat(button("1 day")).hasAttribute("aria-pressed", "true");
        assertThat(page.locator(".limit").first()).containsText("Denied, last day");
        assertThat(page.locator(".limit").first().locator("dd").nth(1)).containsText("3");
        button("Live").click();
        assertThat(page.locator(".limit").first()).containsText("Denied, last 5 min");
        page.locator(".nav a").first().click();
        assertThat(hash()).isEqualTo("#/overview?range=live");
    }

    @Test
    void dragging_zoomsEveryChart_andIsInTheAddress() {
        show("overview?range=1h");
        // Two whole steps of the chart.
        await().until(() -> {
            check("a1", "task_submit", 1);
            return page.locator(".area-chart .chart-table tbody tr").count() >= 2;
        });
        Locator chart = page.locator(".area-chart .chart svg");
        chart.scrollIntoViewIfNeeded();
        BoundingBox box = chart.boundingBox();
        page.mouse().move(box.x + box.width * 0.5, box.y + 60);
        page.mouse().down();
        page.mouse().move(box.x + box.width * 0.7, box.y + 60);
        assertThat(page.locator(".area-chart .chart-selection")).hasCount(1);
        page.mouse().move(box.x + box.width - 12, box.y + 60);
        page.mouse().up();
        assertThat(page.locator("#zoomed")).isVisible();
        assertThat(hash()).matches("#/overview\\?range=1h&from=\\d+&to=\\d+");
        String zoomed = hash();
        assertThat(button("1 hour")).hasAttribute("aria-pressed", "false");
        page.locator(".nav a").nth(2).click();
        assertThat(page.locator("#zoomed")).isVisible();
        page.reload();
        assertThat(page.locator("#zoomed")).isVisible();
        assertThat(hash().replace("limits", "overview")).isEqualTo(zoomed);
        page.locator("#zoomed").click();
        assertThat(hash()).isEqualTo("#/limits?range=1h");
    }

    @Test
    void keyboardAlone_zooms() {
        show("overview?range=live");
        await().until(() -> {
            check("a1", "task_submit", 1);
            return page.locator(".area-chart .chart-table tbody tr").count() >= 3;
        });
        page.locator("button[aria-label='Save the series as JSON']").focus();
        page.keyboard().press("Tab");
        assertThat(page.locator(".area-chart .chart svg")).isFocused();
        page.keyboard().press("Shift+ArrowLeft");
        page.keyboard().press("Shift+ArrowLeft");
        assertThat(page.locator(".area-chart [role=status]")).containsText("Enter zooms.");
        page.keyboard().press("Enter");
        assertThat(page.locator("#zoomed")).isVisible();
        assertThat(hash()).matches("#/overview\\?range=live&from=\\d+&to=\\d+");
    }

    @Test
    void pausedPage_standsStill_andShowsThatItDoes() {
        check("a1", "task_submit", 12);
        show("overview");
        assertThat(page.locator("#tile-denied")).hasText("2");
        button("Pause").click();
        assertThat(page.locator(".live")).containsText("Paused at");
        check("a1", "task_submit", 5);
        await().until(() -> TestServer.json(server.get("/v1/overview"))
                        .at("/overview/denied")
                        .asInt()
                == 7);
        long seen = Instant.now().toEpochMilli();
        // A few updates of the stream, none of which may change what is shown.
        await().until(() -> (Boolean) window.run("() => Date.now() > " + (seen + 2500)));
        assertThat(page.locator("#tile-denied")).hasText("2");
        page.locator(".nav a").nth(1).click();
        assertThat(page.locator(".live")).containsText("Paused at");
        button("Go on").click();
        assertThat(page.locator(".live")).hasText("Live");
        page.locator(".nav a").first().click();
        assertThat(page.locator("#tile-denied")).hasText("7");
    }

    @Test
    void latencies_areShownAndSaved() throws Exception {
        check("a1", "task_submit", 5);
        show("overview");
        for (String chart : List.of("#latency-decision", "#latency-store")) {
            assertThat(page.locator(chart + " .legend dd").nth(1)).hasText(Pattern.compile("[\\d.,]+ (ns|µs|ms|s)"));
            assertThat(page.locator(chart + " .chart-p99")).hasAttribute("d", Pattern.compile("^M.*"));
        }
        Download saved =
                page.waitForDownload(() -> button("Save the series as CSV").click());
        assertThat(saved.suggestedFilename()).isEqualTo("weir-15m.csv");
        List<String> lines = Files.readAllLines(saved.path());
        assertThat(lines.get(0))
                .isEqualTo("time,allowed,limited,penalized,impossible,unavailable,unavailable_allowed,"
                        + "decision_p50_ns,decision_p99_ns,store_p50_ns,store_p99_ns");
        assertThat(lines).anyMatch(line -> line.matches(".*,\\d+,\\d+,\\d+,\\d+"));
        JsonNode series = TestServer.json(server.get("/v1/series")).get("series");
        assertThat(series.get("decision_p99_ns")).hasSize(720);
        assertThat(series.get("decision_p99_ns").get(0).isNull()).isTrue();
        assertThat(sum(series.get("decision_p50_ns"))).isPositive();
        assertThat(sum(series.get("decision_p99_ns"))).isGreaterThanOrEqualTo(sum(series.get("decision_p50_ns")));
    }

    @Test
    void restart_keepsSeriesAndMarks() {
        check("a1", "task_submit", 13);
        server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"a2\"}");
        await().until(() -> sum(TestServer.json(server.get("/v1/series")).at("/series/limited")) == 3);
        long since =
                TestServer.json(server.get("/v1/series")).get("recorded_since").asLong();
        await().until(() ->
                !TestServer.json(server.get("/v1/overview")).get("notable").isEmpty());
        server.close();
        server = start();
        check("a1", "task_submit", 1);
        show("overview");
        assertThat(page.locator("#tile-allowed")).hasText("11");
        assertThat(page.locator("#tile-denied")).hasText("3");
        assertThat(page.locator(".marks")).containsText("The server started");
        assertThat(page.locator(".marks")).containsText("Settings changed by admin@127.0.0.1");
        JsonNode series = TestServer.json(server.get("/v1/series?limit=heavy&range=1w"));
        assertThat(sum(series.at("/series/limited"))).isEqualTo(3);
        assertThat(series.get("recorded_since").asLong()).isEqualTo(since);
        assertThat(series.get("started_at").asLong()).isGreaterThanOrEqualTo(since);
        assertThat(TestServer.json(server.get("/v1/overview"))
                        .at("/overview/last_hour/denied")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void damagedHistory_isIgnored() throws Exception {
        check("a1", "task_submit", 13);
        server.close();
        Path file = directory.resolve("dashboard-history.gz");
        assertThat(file).exists();
        Files.writeString(file, "this is no history");
        server = start();
        show("overview");
        assertThat(page.locator("#tile-denied")).hasText("0");
    }

    /** Ten agents with one request each, and one with thirty: a rate of ten would have refused twenty of forty. */
    @Test
    void rate_isPickedByUse() {
        for (int i = 0; i < 10; i++) {
            check("agent-" + i, "task_submit", 1);
        }
        check("busy", "task_submit", 30);
        show("limits");
        button("Pick a rate by use").first().click();
        assertThat(hash()).isEqualTo("#/limits?use=heavy");
        assertThat(page.locator(".use-verdict")).hasText("10 per day would have denied 50 % of requests, 1 agent.");
        assertThat(page.locator(".use .hint")).containsText("An estimate from the requests of the last");
        page.locator(".use input").fill("25");
        assertThat(page.locator(".use-verdict")).hasText("25 per day would have denied 13 % of requests, 1 agent.");
        Locator slider = page.locator(".use svg");
        page.locator(".use input").focus();
        page.keyboard().press("Shift+Tab");
        assertThat(slider).isFocused();
        page.keyboard().press("End");
        assertThat(page.locator(".use-verdict")).hasText(Pattern.compile("\\d+ per day would have denied nothing\\."));
        page.keyboard().press("Home");
        assertThat(slider).hasAttribute("aria-valuenow", "1");
        assertThat(page.locator(".use-verdict")).hasText("1 per day would have denied 73 % of requests, 1 agent.");
        slider.scrollIntoViewIfNeeded();
        BoundingBox box = slider.boundingBox();
        page.mouse().move(box.x + 14, box.y + 40);
        page.mouse().down();
        page.mouse().move(box.x + box.width / 2, box.y + 40);
        page.mouse().up();
        assertThat(slider).not().hasAttribute("aria-valuenow", "1");
        assertThat(slider).hasAttribute("aria-valuetext", Pattern.compile(".*would have denied.*1 agent\\."));
        assertThat(server.get("/v1/limits/none/use").statusCode()).isEqualTo(404);
    }

    @Test
    void useOfAShadowLimit_isKnown_andALimitWithoutRequestsSaysSo() {
        check("a1", "ping", 3);
        show("limits?use=light");
        assertThat(page.locator(".use-verdict")).hasText("120 per day would have denied nothing.");
        show("limits?use=heavy");
        assertThat(page.locator(".use")).hasText("No request has met this limit since the server started.");
        JsonNode use = TestServer.json(server.get("/v1/limits/light/use")).at("/rates/0");
        assertThat(use.get("rate").asText()).isEqualTo("120/day");
        assertThat(use.get("one_of").asInt()).isEqualTo(1);
        assertThat(use.at("/buckets/0/up_to").asInt()).isEqualTo(3);
    }
}
