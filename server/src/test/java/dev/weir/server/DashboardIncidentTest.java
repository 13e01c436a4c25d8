package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.engine.config.ConfigurationReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the dashboard shows in an incident: why requests are refused, and what state the server is in. */
@Tag("io")
class DashboardIncidentTest {
    private static final String YAML = """
            version: 1
            limits:
              - { name: heavy, match: { action: task_submit }, per: [agent], rate: 10/day }
              - { name: light, match: { action: ping }, per: [agent], rate: 120/day }
            """;

    private static final String[] VIEWS = {"overview", "subjects", "limits", "admin", "alerts"};

    private TestServer server;
    private Chromium.Window window;
    private Page page;

    @BeforeEach
    void open() {
        window = Chromium.open();
        page = window.page;
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

    private void start(String yaml) {
        server = TestServer.yaml(yaml);
    }

    private int check(String agent, String action, int times) {
        int denied = 0;
        for (int i = 0; i < times; i++) {
            String attributes = TestServer.JSON
                    .createObjectNode()
                    .put("agent", agent)
                    .put("action", action)
                    .toString();
            denied += server.check(attributes).statusCode() == 429 ? 1 : 0;
        }
        return denied;
    }

    private void show(String view) {
        window.visit(server, "/#/" + view);
        assertThat(page.locator(".live")).hasText("Live");
    }

    private Locator badge(String agent) {
        return page.locator(".subject")
                .filter(new Locator.FilterOptions()
                        .setHas(page.getByText(agent, new Page.GetByTextOptions().setExact(true))))
                .locator(".badge");
    }

    private Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private void signIn() {
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
    }

    /** The budget of light is the fullest at the end, and has refused nothing. */
    @Test
    void refusals_areThoseOfTheLimitThatRefused() {
        start(YAML);
        show("overview");
        assertThat(check("a1", "task_submit", 40)).isEqualTo(30);
        assertThat(check("a1", "ping", 112)).isZero();
        assertThat(page.locator(".area-needs")).containsText("30 violations in the last hour, mostly by heavy.");
        assertThat(page.locator("#tile-denied-by")).hasText("30 limit");
        await().untilAsserted(() -> {
            JsonNode subject = TestServer.json(server.get("/v1/subjects/agent/a1"));
            assertThat(subject.get("denied_by").toString())
                    .isEqualTo("[{\"limit\":\"heavy\",\"reason\":\"limited\",\"count\":30}]");
        });
        assertThat(TestServer.json(server.get("/v1/overview")).get("denied_by").toString())
                .isEqualTo("[{\"limit\":\"heavy\",\"reason\":\"limited\",\"count\":30}]");
    }

    @Test
    void refusalsOfABackoff_areCountedAsSuch() {
        start(YAML + "penalty: { per: [agent], backoff: [1h], reset-after: 2h, enforce: true }\n");
        show("limits");
        assertThat(check("a1", "task_submit", 40)).isEqualTo(30);
        assertThat(page.locator(".limit").first().locator("dd").nth(1)).containsText("1");
        assertThat(page.locator("section", new Page.LocatorOptions().setHasText("Backoff"))
                        .locator("dd"))
                .hasText("29");
        page.locator("a[href='#/overview']").first().click();
        assertThat(page.locator("#tile-denied")).hasText("30");
        assertThat(page.locator("#tile-denied-by")).hasText("29 backoff · 1 limit");
        assertThat(page.locator(".area-needs")).containsText("30 violations in the last hour, mostly by backoff.");
        assertThat(TestServer.json(server.get("/v1/overview")).get("denied_by").toString())
                .isEqualTo("[{\"limit\":null,\"reason\":\"penalized\",\"count\":29},"
                        + "{\"limit\":\"heavy\",\"reason\":\"limited\",\"count\":1}]");
    }

    @Test
    void threeStates_haveThreeWords_andExemptWinsAtOnce() {
        start("""
                version: 1
                limits:
                  - { name: heavy, match: { action: task_submit }, per: [agent], rate: 10/day }
                  - { name: bulk, match: { action: bulk }, per: [agent], rate: 10/day, cost: 6 }
                penalty: { per: [agent], backoff: [1s, 1h], reset-after: 2h }
                """);
        show("subjects");
        check("empty", "task_submit", 11);
        check("advised", "bulk", 3);
        check("recorded", "bulk", 2);
        assertThat(badge("empty")).hasText("Denied now");
        assertThat(badge("advised")).hasText(Pattern.compile("Advised to wait (60 min|1 h)"));
        assertThat(badge("recorded")).hasText(Pattern.compile("On record (120 min|2 h)"));
        assertThat(server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"empty\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(badge("empty")).hasText("Exempt");
        button("Limited").click();
        assertThat(page.locator(".subject .name")).hasText(new String[] {"advised"});
    }

    @Test
    void limitingThatIsOff_isShownOnEveryView() {
        start(YAML);
        check("a1", "task_submit", 12);
        show("subjects");
        assertThat(badge("a1")).hasText("Denied now");
        server.server
                .weir()
                .reconfigure(new ConfigurationReader()
                        .read("test.yaml", YAML + "enabled: false\n")
                        .orThrow());
        assertThat(badge("a1")).hasText("Not limited");
        for (String view : VIEWS) {
            page.navigate(server.server.url() + "/#/" + view);
            assertThat(page.locator("#banner-off")).containsText("Limiting is off. Every request is allowed");
        }
    }

    @Test
    void rejectedConfiguration_isShownUntilItIsMended(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("weir.yaml"), YAML);
        server = TestServer.start(ServerOptions.of(ConfigurationSource.file(file)));
        show("overview");
        assertThat(page.locator(".banner")).hasCount(0);
        Files.writeString(file, YAML.replace("120/day", "many"));
        for (String view : VIEWS) {
            page.navigate(server.server.url() + "/#/" + view);
            assertThat(page.locator("#banner-rejected")).containsText("The changed configuration was rejected");
            assertThat(page.locator("#banner-rejected pre")).containsText("weir.yaml:4:");
        }
        Files.writeString(file, YAML);
        assertThat(page.locator("#banner-rejected")).hasCount(0);
    }

    @Test
    void reload_showsWhatIsDifferent_andAMarkInTheChart(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("weir.yaml"), YAML);
        server = TestServer.start(ServerOptions.of(ConfigurationSource.file(file)));
        show("alerts?show=all");
        Files.writeString(file, YAML.replace("120/day", "240/day"));
        assertThat(page.locator(".entry")).containsText("A changed configuration was loaded");
        assertThat(page.locator(".entry .changes li"))
                .hasText(new String[] {"limits.light.rate.default: 120/day → 240/day"});
        page.locator("a[href='#/overview']").first().click();
        assertThat(page.locator(".area-chart .chart-mark")).hasCount(1);
        assertThat(page.locator(".marks")).containsText("Configuration: limits.light.rate.default: 120/day → 240/day");
    }

    @Test
    void namesThatShowNothing_areWrittenOut() {
        start(YAML);
        show("subjects");
        check("\u200B", "ping", 1);
        check("\u202Egnp.exe", "ping", 1);
        assertThat(page.locator(".subject .name"))
                .hasText(new Pattern[] {Pattern.compile("⟨U\\+.*"), Pattern.compile("⟨U\\+.*")});
        page.locator("#search").fill("gnp");
        assertThat(page.locator(".subject .name")).hasText(new String[] {"⟨U+202E⟩gnp.exe"});
    }

    @Test
    void rates_areRaisedForAnHour_withAReason() {
        start(YAML);
        check("a1", "task_submit", 11);
        show("admin");
        signIn();
        page.locator("a[href='#/subjects']").first().click();
        page.locator(".subject .cover").click();
        button("Set own rates…").click();
        button("× 2").click();
        assertThat(page.locator("input[name='heavy.default']")).hasValue("20/day");
        page.getByLabel("For").selectOption("1h");
        page.getByLabel("Reason").fill("incident 7");
        button("Review…").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("for 1 hour; then it ends by itself");
        button("Back").click();
        assertThat(page.getByLabel("Reason")).hasValue("incident 7");
        button("Review…").click();
        button("Set rates").click();
        assertThat(page.locator(".toast")).containsText("agent=a1 has rates of its own.");
        assertThat(check("a1", "task_submit", 20)).isZero();
        page.locator("a[href='#/admin']").first().click();
        assertThat(page.locator(".area-overrides"))
                .containsText(Pattern.compile("agent=a1ends in (60 min|1 h) · incident 7"));
        assertThat(page.locator(".area-audit tbody tr").first())
                .containsText(Pattern.compile("set the rates of agent=a1.*incident 7"));
    }

    @Test
    void alertsOnAPhone_haveWholeNames() {
        String name = "agent-of-the-second-warehouse-in-rotterdam-17";
        start(YAML + "alerts: [{ violations: 5, within: 5m, per: [agent] }]\n");
        check(name, "task_submit", 20);
        for (int width : new int[] {390, 320}) {
            page.setViewportSize(width, 800);
            for (String view : VIEWS) {
                show(view);
                assertThat(window.run("() => document.documentElement.scrollWidth <= innerWidth ? ''"
                                + " : [...document.querySelectorAll('main *')]"
                                + ".filter((e) => e.getBoundingClientRect().right > innerWidth)"
                                + ".map((e) => e.className).join()"))
                        .as("what is wider than " + width + " pixels on " + view)
                        .isEqualTo("");
            }
            Locator shown = page.locator(".entry .name");
            assertThat(shown).hasText(name);
            assertThat((Boolean) shown.evaluate("e => e.scrollWidth <= e.clientWidth"))
                    .isTrue();
        }
    }

    @Test
    void alerts_areIncidents_thatAreAcknowledgedAndMuted() {
        start(YAML + "alerts: [{ violations: 5, within: 5s, per: [agent] }]\n");
        check("a1", "task_submit", 20);
        check("a2", "task_submit", 20);
        show("alerts");
        assertThat(page.locator(".incident")).hasCount(2);
        assertThat(page.locator(".incidents .card-head")).containsText("5 violations within 5 s2 incidents");
        Locator first = page.locator(".incident")
                .filter(new Locator.FilterOptions()
                        .setHas(page.getByText("a1", new Page.GetByTextOptions().setExact(true))));
        assertThat(first).containsText(Pattern.compile("10 denied requests · first .* · last "));
        assertThat(first).containsText("Over");
        assertThat(button("Mute 1 h")).hasCount(0);
        show("admin");
        signIn();
        page.locator(".nav a[href='#/alerts']").click();
        check("a1", "task_submit", 10);
        assertThat(first).containsText("Ongoing");
        assertThat(first).containsText("20 denied requests");
        assertThat(first).containsText("2 times");
        first.getByText("Acknowledge").click();
        assertThat(first).containsText("Acknowledged by admin@127.0.0.1");
        first.getByText("Mute 1 h").click();
        assertThat(first).containsText(Pattern.compile("Muted by admin@127.0.0.1 for (60 min|1 h) more"));
        JsonNode told = TestServer.json(server.get("/v1/alerts")).get("alerts");
        assertThat(told).hasSize(2);
        assertThat(told.get(0).get("episodes").asInt()).isEqualTo(2);
        button("Undo").click();
        assertThat(first).not().containsText("Muted by");
        assertThat(server.admin("POST", "/api/admin/alerts/99/acknowledge", null)
                        .statusCode())
                .isEqualTo(404);
        assertThat(server.admin("PUT", "/api/admin/alerts/1/mute", "{}").body()).contains("\"field\":\"for\"");
    }

    @Test
    void themeAndReadAlerts_surviveAReload() {
        start(YAML + "alerts: [{ violations: 5, within: 5m, per: [agent] }]\n");
        check("a1", "task_submit", 20);
        show("overview");
        assertThat(page.locator(".nav .count")).hasText("1");
        page.locator("a[href='#/alerts']").first().click();
        assertThat(page.locator(".nav .count")).hasCount(0);
        button("Use the dark theme").click();
        page.reload();
        assertThat(page.locator(".entry")).hasCount(1);
        page.locator("a[href='#/overview']").first().click();
        assertThat(page.locator(".nav .count")).hasCount(0);
        assertThat(button("Use the light theme")).isVisible();
    }

    @Test
    void reset_isOfAllBudgets_andNamesTheirLimits() {
        start(YAML);
        check("a1", "task_submit", 11);
        check("a1", "ping", 121);
        show("admin");
        signIn();
        page.locator("a[href='#/subjects']").first().click();
        page.locator(".subject .cover").click();
        button("Reset budgets…").click();
        button("Reset").click();
        assertThat(page.locator(".toast")).containsText("2 budgets of agent=a1 reset. Limits: heavy, light.");
        assertThat(check("a1", "task_submit", 1)).isZero();
        assertThat(check("a1", "ping", 1)).isZero();
    }

    @Test
    void focus_returnsToWhereADialogWasOpened() {
        start(YAML);
        check("a1", "task_submit", 11);
        show("admin");
        signIn();
        page.locator("a[href='#/subjects']").first().click();
        page.locator(".subject .cover").focus();
        page.keyboard().press("Enter");
        button("Exempt…").click();
        button("Exempt").click();
        assertThat(page.locator(".toast")).containsText("agent=a1 is exempt.");
        assertThat(page.locator(".subject .cover")).isFocused();
        assertThat(badge("a1")).hasText("Exempt");
        page.keyboard().press("Control+z");
        assertThat(page.locator(".toast")).containsText("Undone.");
        assertThat(badge("a1")).hasText("Denied now");
    }
}
