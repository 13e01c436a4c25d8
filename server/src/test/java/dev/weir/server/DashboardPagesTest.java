package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.engine.event.Event;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages of the dashboard that have an address, and what stands on them. */
@Tag("io")
class DashboardPagesTest {
    private static final String YAML = """
            version: 1
            classify:
              - { set: tier, from: action, values: { light: [ping], heavy: [task_submit] }, default: normal }
            limits:
              - { name: heavy, match: { tier: heavy }, per: [agent], rate: 10/day }
              - { name: light, match: { tier: light }, per: [agent], rate: 120/day }
              - { name: anonymous, match: { agent: null }, per: [ip], rate: 60/min }
            alerts: [{ violations: 5, within: 5m, per: [agent] }]
            """;

    private TestServer server;
    private Chromium.Window window;
    private Page page;

    @BeforeEach
    void open() {
        server = TestServer.yaml(YAML, options -> options.withName("checkout-eu"));
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

    private void signIn() {
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
    }

    private String hash() {
        return (String) window.run("() => location.hash");
    }

    @Test
    void searchFilterSortAndRange_areInTheAddress() {
        check("alpha", "task_submit", 12);
        check("alphabet", "ping", 1);
        check("beta", "task_submit", 12);
        show("subjects?q=ALP&sort=name");
        assertThat(page.locator("#search")).hasValue("ALP");
        check("alphabet", "ping", 1);
        assertThat(page.locator(".subject .name")).hasText(new String[] {"alpha", "alphabet"});
        button("Limited").click();
        assertThat(page.locator(".subject .name")).hasText(new String[] {"alpha"});
        assertThat(hash()).isEqualTo("#/subjects?q=ALP&sort=name&show=limited");
        page.reload();
        assertThat(page.locator(".subject .name")).hasText(new String[] {"alpha"});
        page.locator(".nav a").first().click();
        button("1 hour").click();
        assertThat(hash()).isEqualTo("#/overview?range=1h");
        page.locator(".nav a").nth(1).click();
        assertThat(page.locator("#search")).hasValue("ALP");
        page.goBack();
        assertThat(button("1 hour")).hasAttribute("aria-pressed", "true");
        show("alerts?show=all");
        assertThat(button("Everything")).hasAttribute("aria-pressed", "true");
    }

    @Test
    void server_isNamed() {
        show("overview");
        assertThat(page.locator(".server b")).hasText("checkout-eu");
        assertThat(page.locator(".server .hint"))
                .hasText(Pattern.compile(".+/" + ProcessHandle.current().pid() + " · .+"));
        assertThat(page).hasTitle("Overview · checkout-eu · Weir");
        JsonNode told = TestServer.json(server.get("/v1/overview")).at("/overview/server");
        assertThat(told.get("name").asText()).isEqualTo("checkout-eu");
        assertThat(told.get("version").asText()).isNotEmpty();
    }

    @Test
    void subject_hasAPageWithWhatHappenedAndWhy() {
        window.context.grantPermissions(List.of("clipboard-read", "clipboard-write"));
        show("subjects/agent/a%2F1");
        assertThat(page.locator(".area-now")).containsText("has not seen it in the last hour");
        check("a/1", "task_submit", 13);
        check("a/1", "ping", 2);
        assertThat(page.locator("h1")).hasText("agenta/1");
        assertThat(page).hasTitle("agent a/1 · checkout-eu · Weir");
        assertThat(page.locator(".area-now")).containsText("Denied now");
        assertThat(page.locator(".area-now .budgets")).containsText("heavy");
        Locator rows = page.locator(".timeline tr");
        assertThat(rows).hasCount(2);
        // With a mark if the page was opened a while after the server.
        assertThat(rows.nth(0).locator("td").last()).hasText(Pattern.compile("^(≥ )?12$"));
        assertThat(rows.nth(1)).containsText(Pattern.compile("Denied by heavy.*3$"));
        Locator decisions = page.locator(".decisions tbody tr");
        assertThat(decisions).hasCount(15);
        assertThat(decisions.nth(0)).containsText("Allowed");
        assertThat(decisions.nth(0)).containsText("action=ping agent=a/1");
        assertThat(decisions.nth(2)).containsText(Pattern.compile("Deniedheavyno budget left; wait .*tier=heavy"));
        button("Copy link").click();
        assertThat(button("Copied")).isVisible();
        assertThat(window.run("() => navigator.clipboard.readText()"))
                .isEqualTo(server.server.url() + "/#/subjects/agent/a%2F1");

        assertThat(page.locator(".area-changes")).containsText("Sign in to see");
        signIn();
        assertThat(page.locator(".area-changes")).containsText("Nobody has changed anything for it.");
        server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"other\"}");
        server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"a/1\",\"reason\":\"incident 7\"}");
        assertThat(page.locator(".area-changes tbody tr")).hasCount(1);
        assertThat(page.locator(".area-changes tbody tr"))
                .containsText(Pattern.compile("admin@127.0.0.1exempted agent=a/1.*incident 7"));
        assertThat(page.locator(".area-now")).containsText("Exempt");
        button("End exemption…").click();
        button("End exemption").click();
        assertThat(page.locator(".area-changes tbody tr")).hasCount(2);
    }

    @Test
    void series_ofALimitAndARange_areShownAndSaved() throws Exception {
        check("a1", "task_submit", 13);
        check("a1", "ping", 4);
        show("overview?range=1d&limit=heavy");
        assertThat(page.locator("#series-reasons")).hasText("Denied: 3 limit, last day.");
        assertThat(button("1 day")).hasAttribute("aria-pressed", "true");
        page.locator(".area-chart select").selectOption("light");
        assertThat(page.locator("#series-reasons")).hasText("None denied, last day.");
        assertThat(hash()).isEqualTo("#/overview?range=1d&limit=light");
        page.locator(".area-chart select").selectOption("heavy");
        assertThat(page.locator("#series-reasons")).containsText("3 limit");
        Download saved =
                page.waitForDownload(() -> button("Save the series as CSV").click());
        assertThat(saved.suggestedFilename()).isEqualTo("weir-1d-heavy.csv");
        List<String> lines = Files.readAllLines(saved.path());
        assertThat(lines.get(0)).isEqualTo("time,allowed,limited,impossible,unavailable,shadow_denied,warned");
        assertThat(lines.stream()
                        .skip(1)
                        .mapToInt(line -> Integer.parseInt(line.split(",")[2]))
                        .sum())
                .isEqualTo(3);
        JsonNode series = TestServer.json(server.get("/v1/series?range=1w"));
        assertThat(series.get("slot_secs").asInt()).isEqualTo(900);
        assertThat(series.at("/series/limited")).hasSize(672);
        assertThat(series.at("/series/limited/671").asInt()
                        + series.at("/series/limited/670").asInt())
                .isEqualTo(3);
        assertThat(server.get("/v1/series?range=1y").body()).contains("\"field\":\"range\"");
        assertThat(server.get("/v1/series?limit=none").statusCode()).isEqualTo(400);
    }

    @Test
    void change_isRevertedFromTheAudit() {
        server.admin("PUT", "/api/admin/rate-limits/agent=a1", "{\"limits\":{\"heavy\":{\"default\":\"50/day\"}}}");
        server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"a2\"}");
        show("admin");
        signIn();
        assertThat(page.locator(".area-overrides")).containsText("50/day");
        button("Revert: set the rates of agent=a1").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("admin@127.0.0.1 set the rates of agent=a1");
        button("Revert").click();
        assertThat(page.locator(".area-overrides")).containsText("Everyone has the same rates");
        assertThat(page.locator(".area-audit tbody tr").first()).containsText("removed the rates of agent=a1");
        assertThat(button("Revert: set the rates of agent=a1")).hasCount(0);
        assertThat(button("Revert: exempted agent=a2")).hasCount(1);
    }

    /** Before a page is open, allowed requests are observed one second in ten, and the page says so. */
    @Test
    void allowedRequestsThatNobodyObserved_areNotShownAsNone() {
        await().until(() -> TestServer.json(server.get("/v1/subjects/agent/a1/history"))
                        .get("observed_secs")
                        .size()
                == 12);
        await().pollInterval(Duration.ofMillis(200))
                .until(() -> TestServer.json(server.get("/v1/overview"))
                                        .at("/overview/now")
                                        .asLong()
                                / 1000
                        > TestServer.json(server.get("/v1/overview"))
                                        .at("/overview/started_at")
                                        .asLong()
                                + 12);
        check("a1", "task_submit", 11);
        show("subjects/agent/a1");
        assertThat(page.locator(".timeline tr").first().locator("td").last()).containsText("≥");
        assertThat(page.locator(".area-timeline"))
                .containsText("Every denied request is counted. Allowed requests were observed");
        assertThat(page.locator(".timeline tr").nth(1)).containsText(Pattern.compile("Denied by heavy.*1$"));
    }

    @Test
    void decisions_areFollowed_filteredAndPaused() {
        show("decisions");
        assertThat(page.locator(".found")).hasText("Decisions appear as they are made.");
        check("a1", "task_submit", 11);
        check("b1", "ping", 1);
        assertThat(page.locator(".decisions tbody tr")).hasCount(12);
        assertThat(page.locator(".decisions tbody tr").first()).containsText("agent=b1");
        page.getByLabel("Attributes").fill("agent=a1");
        page.getByLabel("Result").selectOption("limited");
        button("Filter").click();
        assertThat(page.locator(".decisions")).hasCount(0);
        assertThat(hash()).isEqualTo("#/decisions?reason=limited&agent=a1");
        assertThat(page.locator(".found")).hasText("Decisions appear as they are made.");
        check("b1", "task_submit", 11);
        check("a1", "task_submit", 1);
        assertThat(page.locator(".decisions tbody tr")).hasCount(1);
        button("Pause").click();
        check("a1", "task_submit", 2);
        button("Go on (2 new)").click();
        assertThat(page.locator(".decisions tbody tr")).hasCount(3);
        assertThat(page.getByLabel("Attributes")).hasValue("agent=a1");
    }

    @Test
    void decision_isExplained_withoutSpending() {
        check("a1", "task_submit", 10);
        show("decisions/explain?agent=a1&action=task_submit");
        assertThat(page.locator(".verdict")).containsText("Denied by heavy: no budget left; wait");
        assertThat(page.locator(".explanation")).containsText("tier=heavy");
        assertThat(page.locator(".explanation tbody tr")).hasCount(1);
        assertThat(page.locator(".explanation tbody tr")).containsText(Pattern.compile("heavyagent.*0 / 10denies"));
        assertThat(page.locator(".skipped li")).hasCount(2);
        page.getByLabel("Attributes").fill("agent=a2 action=ping");
        button("Explain").click();
        assertThat(page.locator(".verdict")).hasText("Allowed");
        assertThat(page.locator(".explanation tbody tr")).containsText("120 / 120");
        assertThat(hash()).isEqualTo("#/decisions/explain?agent=a2&action=ping");
        server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"a2\"}");
        button("Explain").click();
        assertThat(page.locator(".verdict")).hasText("Allowed: agent=a2 is exempt");
    }

    @Test
    void storeThatFailsOnAndOff_isOneBannerAndOneEntry() {
        show("alerts?show=all");
        Instant first = Instant.now().minusSeconds(60);
        for (int i = 0; i < 8; i++) {
            server.server.weir().events().publish(new Event.StoreUnavailable(first.plusSeconds(i), "timed out.."));
            server.server
                    .weir()
                    .events()
                    .publish(new Event.StoreRecovered(first.plusSeconds(i).plusMillis(500), Duration.ofMillis(500)));
        }
        assertThat(page.locator(".entry").filter(new Locator.FilterOptions().setHasText("failed 8 times since")))
                .hasCount(1);
        assertThat(page.locator(".entry").filter(new Locator.FilterOptions().setHasText("The store")))
                .hasCount(2);
        assertThat(page.locator(".entry")).containsText(new String[] {"timed out. See that it runs"});
        assertThat(page.locator("#banner-store"))
                .containsText(Pattern.compile("The store fails on and off: 8 times since .* It answers now."));
    }

    @Test
    void undo_isHeldWhileItHasTheFocus() {
        check("a1", "task_submit", 11);
        show("admin");
        signIn();
        page.getByLabel("Attributes").fill("agent=a1");
        button("Reset…").click();
        // By the page itself: on a busy machine the five seconds may end before this process can do it.
        window.run("() => { window.focusing = setInterval(() => {"
                + " [...document.querySelectorAll('.toast button')].find((b) => b.textContent === 'Undo')?.focus();"
                + " }, 20); }");
        button("Reset").click();
        assertThat(button("Undo")).isFocused();
        // Longer than the five seconds after which it would be done.
        page.waitForTimeout(6500);
        assertThat(page.locator(".toast")).containsText("agent=a1 is reset in 5 seconds");
        assertThat(server.check("{\"agent\":\"a1\",\"action\":\"task_submit\"}").statusCode())
                .isEqualTo(429);
        window.run("() => clearInterval(window.focusing)");
        page.keyboard().press("Tab");
        page.locator("h1").click();
        assertThat(page.locator(".toast")).containsText("2 budgets of agent=a1 reset.");
    }

    /** Text that leaves its box and reaches into another one; what is cut with an ellipsis does not. */
    @Test
    void nothingOverlaps_atAnyWidth() {
        String name = "agent-of-the-second-warehouse-in-rotterdam-17";
        check(name, "task_submit", 30);
        check("short", "task_submit", 12);
        check("other", "ping", 100);
        server.admin(
                "PUT",
                "/api/admin/rate-limits/agent=" + name,
                "{\"limits\":{\"heavy\":{\"default\":\"50/day\"}},\"for\":\"1h\",\"reason\":\"incident 7\"}");
        for (int width : new int[] {320, 390, 820, 1200, 1280, 1360, 1440}) {
            page.setViewportSize(width, 900);
            for (String view : List.of(
                    "overview", "subjects", "limits", "decisions", "alerts", "subjects/agent/" + name, "admin")) {
                show(view);
                if (view.equals("admin")) {
                    if (width == 320) {
                        signIn();
                    }
                    assertThat(page.locator(".area-audit tbody tr")).hasCount(1);
                }
                assertThat(page.locator("main .card, main .subject").first()).isVisible();
                assertThat(window.run(OVERLAPS)).as(view + " at " + width).isEqualTo("");
                assertThat(window.run("() => document.documentElement.scrollWidth <= innerWidth ? ''"
                                + " : [...document.querySelectorAll('#app *')]"
                                + ".filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest('.wide'))"
                                + ".map((e) => e.tagName + '.' + e.className).join()"))
                        .as("what is wider than the window on " + view + " at " + width)
                        .isEqualTo("");
            }
        }
    }

    private static final String OVERLAPS = """
            () => {
              const texts = [];
              const walker = document.createTreeWalker(document.querySelector('#app'), NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const node = walker.currentNode;
                const owner = node.parentElement;
                if (node.data.trim() === '' || owner.closest('.sr-only, svg, .skip, .toast, .nav, .top, .wide, details:not([open]) > :not(summary)')) continue;
                const range = document.createRange();
                range.selectNodeContents(node);
                for (const box of range.getClientRects()) {
                  let { left, right, top, bottom } = box;
                  for (let e = owner; e; e = e.parentElement) {
                    if (getComputedStyle(e).overflowX !== 'visible') {
                      const clip = e.getBoundingClientRect();
                      left = Math.max(left, clip.left);
                      right = Math.min(right, clip.right);
                      top = Math.max(top, clip.top);
                      bottom = Math.min(bottom, clip.bottom);
                    }
                  }
                  if (right - left > 1 && bottom - top > 1) texts.push({ left, right, top, bottom, text: node.data.trim(), owner });
                }
              }
              const found = [];
              for (const { right, text, owner } of texts) {
                const box = owner.closest('.card, .tile, .subject')?.getBoundingClientRect();
                if (box && right > box.right - 6) found.push(`${text} leaves its box`);
              }
              for (let i = 0; i < texts.length; i++) {
                for (let j = i + 1; j < texts.length; j++) {
                  const [a, b] = [texts[i], texts[j]];
                  if (a.owner !== b.owner && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
                    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4) found.push(`${a.text} [${a.owner.closest('section, li')?.className}] | ${b.text} [${b.owner.closest('section, li')?.className}]`);
                }
              }
              return found.join('\\n');
            }""";
}
