package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.fixture.Ports;
import dev.weir.server.dashboard.DashboardStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The dashboard in a real browser, with a real server and real requests. */
@Tag("io")
class DashboardTest {
    /** The agent-hub's limit, a shadow limit beside it, and an alert that fires soon. */
    static final String YAML = """
            version: 1
            store: memory
            defaults: { channel: http }
            classify:
              - { set: tier, from: action, values: { light: [ping], heavy: [task_submit] }, default: normal }
            limits:
              - name: agent
                per: [agent, channel, tier]
                by: tier
                rate: { light: 120/min, normal: 60/min, heavy: 10/hour, default: 60/min }
                warn: 80%
              - { name: stricter, per: [agent], rate: 5/hour, shadow: true }
              - { name: anonymous, match: { agent: null }, per: [ip], rate: 60/min }
            penalty: { per: [agent], backoff: [1s, 2s, 5s, 10s, 30s], reset-after: 60s }
            exempt: { agent: [dashboard] }
            alerts:
              - { violations: 10, within: 5m, per: [agent] }
            """;

    private TestServer server;
    private Chromium.Window window;
    private Page page;

    @BeforeEach
    void start() {
        server = TestServer.yaml(YAML);
        window = Chromium.open();
        page = window.page;
    }

    @AfterEach
    void stop() {
        try {
            window.assertBehaved();
        } finally {
            window.close();
            server.close();
        }
    }

    private void submit(String agent, int times) {
        for (int i = 0; i < times; i++) {
            check(agent, "task_submit");
        }
    }

    private int check(String agent, String action) {
        return server.check(TestServer.JSON
                        .createObjectNode()
                        .put("agent", agent)
                        .put("action", action)
                        .toString())
                .statusCode();
    }

    private void show(String view) {
        window.visit(server, "/#/" + view);
        assertThat(page.locator(".live")).hasText("Live");
    }

    private Locator card(String agent) {
        return page.locator(".subject")
                .filter(new Locator.FilterOptions()
                        .setHas(page.getByText(agent, new Page.GetByTextOptions().setExact(true))));
    }

    private Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void A12_overview_hasTheSummaryOfTheHour() {
        submit("loud", 15);
        submit("louder", 17);
        check("calm", "ping");
        check("dashboard", "ping");
        show("overview");
        assertThat(page.locator("#tile-limited")).hasText("2");
        assertThat(page.locator("#tile-untouched")).hasText("1");
        assertThat(page.locator("#violations")).hasText("12");
        assertThat(page.locator("#exempt")).hasText("1");
        assertThat(page.locator(".offenders li")).hasText(new String[] {"louder7", "loud5"});
        assertThat(page.locator(".area-needs")).containsText("louder is denied now");
    }

    @Test
    void C9_overview_tellsHowMuchPassesAndWhoIsLimited() {
        submit("loud", 15);
        submit("louder", 17);
        check("calm", "ping");
        show("overview");
        assertThat(page.locator("#tile-allowed")).hasText("21");
        assertThat(page.locator("#tile-denied")).hasText("12");
        assertThat(page.locator("#tile-share")).hasText("36 %");
        assertThat(page.locator(".area-top tbody tr").first()).containsText("louder");
        assertThat(page.locator(".area-top tbody tr").first()).containsText("Denied now");
        assertThat(page.locator(".area-store")).containsText("Circuit breakerClosed");
        assertThat(page.locator(".area-store")).containsText("Entries now");
        assertThat(page.locator(".area-store")).containsText("Entries removed");
        assertThat(page.locator(".area-store")).containsText("Sweeps");
        assertThat(page.locator(".chart-allowed")).hasCount(1);
    }

    /** Without a reload; {@link DashboardStream#TICK_MILLIS} determines the delay. */
    @Test
    void aRequest_isSeenByItself() {
        assertThat(DashboardStream.TICK_MILLIS).isLessThanOrEqualTo(1000L);
        show("overview");
        assertThat(page.locator("#tile-allowed")).hasText("0");
        check("new-one", "ping");
        assertThat(page.locator("#tile-allowed")).containsText("1");
        page.navigate(server.server.url() + "/#/subjects");
        submit("newer", 11);
        assertThat(card("newer")).containsText("1 violation");
        assertThat(card("newer")).containsText("Denied now");
    }

    @Test
    void A12_subjects_haveTheColoursOfTheirFill() {
        show("subjects");
        submit("third", 3);
        submit("most", 7);
        submit("all", 12);
        Locator first = page.locator(".subject").first();
        assertThat(first).containsText("all");
        assertThat(card("third").getByRole(AriaRole.METER).first()).hasClass(Pattern.compile("meter-ok"));
        assertThat(card("most").getByRole(AriaRole.METER).first()).hasClass(Pattern.compile("meter-warn"));
        assertThat(card("all").getByRole(AriaRole.METER).first()).hasClass(Pattern.compile("meter-bad"));
        assertThat(card("third")).containsText("30 %");
        assertThat(card("third")).containsText("7 / 10");
        assertThat(card("third")).containsText("In good standing");
        assertThat(card("all")).containsText("2 violations");
        assertThat(card("third").locator(".budget-shadow")).containsText("stricter");
    }

    @Test
    void subjects_areSearchedSortedAndOpened() {
        show("subjects");
        submit("alpha", 2);
        submit("beta", 12);
        check("gamma", "ping");
        server.check("{\"ip\":\"203.0.113.9\"}");
        assertThat(page.locator(".found")).hasText("4 subjects");
        page.keyboard().press("/");
        assertThat(page.locator("#search")).isFocused();
        page.keyboard().type("ALP");
        assertThat(page.locator(".found")).hasText("1 of 4 subjects");
        page.locator("#search").fill("nobody-like-that");
        assertThat(empty("Nobody fits")).isVisible();
        button("Show all").click();
        page.getByLabel("Sort").selectOption("name");
        assertThat(page.locator(".subject .name").first()).hasText("alpha");
        page.getByLabel("Kind").selectOption("ip");
        assertThat(page.locator(".subject .name")).hasText(new String[] {"203.0.113.9"});
        page.getByLabel("Kind").selectOption("");
        button("Limited").click();
        assertThat(page.locator(".subject .name")).hasText(new String[] {"beta"});
        page.locator(".subject .cover").focus();
        page.keyboard().press("Enter");
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("2 violations in the last hour, 2 in all");
        page.keyboard().press("Escape");
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        assertThat(page.locator(".subject .cover")).isFocused();
    }

    /** While no dashboard is open, allowed requests are recorded only now and then, so that they cost nothing. */
    @Test
    void whoCameBeforeThePage_isKnownIfItKeepsComing() {
        await().until(() -> {
            check("regular", "task_submit");
            return server.server.weir().events().hearsAllowed();
        });
        check("regular", "ping");
        show("subjects");
        assertThat(card("regular")).isVisible();
    }

    @Test
    void limits_showTheirNumbersAndShadowsBesideThem() {
        submit("loud", 12);
        show("limits");
        Locator enforced = page.locator(".limit").nth(0);
        assertThat(enforced).containsText("Enforced");
        assertThat(enforced.locator("dd")).hasText(new Pattern[] {
            Pattern.compile("10"), Pattern.compile("2.*17 %"), Pattern.compile("–"), Pattern.compile("1")
        });
        assertThat(enforced.locator(".table-rates")).containsText("heavy10/hour");
        assertThat(enforced.locator(".table-lately")).containsText("loud");
        Locator shadow = page.locator(".limit").nth(1);
        assertThat(shadow).containsText("Shadow");
        assertThat(shadow.locator("dd")).hasText(new Pattern[] {
            Pattern.compile("5"), Pattern.compile("–"), Pattern.compile("5.*50 %"), Pattern.compile("–")
        });
        assertThat(shadow).containsText("Would have denied lately");
        assertThat(page.locator(".limit").nth(2)).containsText("No request has met it (last 15 min).");
        assertThat(page.locator(".limits")).containsText("gets a wait of 1 s, 2 s, 5 s, 10 s, 30 s");
    }

    @Test
    void A13_alerts_comeOncePerEpisode() {
        show("alerts");
        assertThat(empty("No alerts")).isVisible();
        submit("abusive", 25);
        assertThat(page.locator(".entry")).hasCount(1);
        assertThat(page.locator(".entry")).containsText("Sustained abuse by agent abusive");
        assertThat(page.locator(".entry")).containsText("10 violations within 5 min");
        assertThat(page.locator(".alerts")).containsText("10 violations within 5 min by one agent");
    }

    @Test
    void A9_override_setInThePage_changesTheNextDecision_andIsUndone() {
        submit("worker", 11);
        assertThat(check("worker", "task_submit")).isEqualTo(429);
        show("subjects");
        card("worker").click();
        page.getByLabel("Admin token").fill("not-the-token");
        button("Sign in").click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("This is not the token");
        // Chromium logs the 401 that the page has just explained.
        window.errors.removeIf(error -> error.contains("401"));
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        page.keyboard().press("Enter");
        button("Set own rates…").click();
        page.locator("input[name='agent.heavy']").fill("nonsense");
        assertThat(page.locator(".field-fault")).hasText("Write a number and a period, such as 60/min.");
        button("Review…").click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("Mend the rates that are marked.");
        assertThat(page.locator("input[name='agent.heavy']")).isFocused();
        // What only the server knows is shown where it was confirmed.
        page.locator("input[name='agent.heavy']").fill("99999999999999999/min");
        assertThat(page.locator(".field-fault")).hasCount(0);
        button("Review…").click();
        button("Set rates").click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("99999999999999999/min");
        window.errors.removeIf(error -> error.contains("400"));
        assertThat(check("worker", "task_submit")).isEqualTo(429);
        button("Cancel").click();
        card("worker").click();
        button("Set own rates…").click();
        page.locator("input[name='agent.heavy']").fill("100/min");
        button("Review…").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("agent · heavy: 10/hour → 100/min");
        button("Set rates").click();
        assertThat(page.locator(".toast")).containsText("agent=worker has rates of its own.");
        assertThat(check("worker", "task_submit")).isEqualTo(200);
        button("Undo").click();
        assertThat(page.locator(".toast")).containsText("Undone.");
        assertThat(check("worker", "task_submit")).isEqualTo(429);
    }

    @Test
    void A10_exemptionAndReset_actAtOnce_andAreWrittenDown() {
        submit("worker", 11);
        show("admin");
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
        assertThat(page.locator(".exempt-list")).containsText("agent=dashboard");
        page.getByLabel("Exempt somebody").fill("worker");
        button("Exempt…").click();
        button("Exempt").click();
        assertThat(page.locator(".exempt-list")).containsText("agent=worker");
        assertThat(check("worker", "task_submit")).isEqualTo(200);
        button("Undo").click();
        assertThat(page.locator(".exempt-list")).not().containsText("agent=worker");
        assertThat(check("worker", "task_submit")).isEqualTo(429);
        assertThat(page.locator(".area-audit tbody tr")).hasText(new Pattern[] {
            Pattern.compile("ended the exemption of agent=worker"), Pattern.compile("exempted agent=worker")
        });
        assertThat(page.locator(".area-audit tbody")).containsText("admin@127.0.0.1");
        page.locator("a[href='#/subjects']").click();
        card("worker").click();
        button("Reset budgets…").click();
        button("Reset").click();
        assertThat(page.locator(".toast")).containsText(" reset. Limits: ");
        assertThat(check("worker", "task_submit")).isEqualTo(200);
    }

    @Test
    void reset_isHeldForAWhile_inWhichItIsUndone() {
        submit("worker", 11);
        show("admin");
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
        page.getByLabel("Attributes").fill("agent=worker channel=http tier=heavy");
        button("Reset…").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("You have 5 seconds to undo it");
        button("Reset").click();
        assertThat(page.locator(".toast")).containsText("is reset in 5 seconds");
        assertThat(check("worker", "task_submit")).isEqualTo(429);
        button("Undo").click();
        assertThat(page.locator(".toast")).containsText("nothing was reset");
        page.waitForTimeout(6000);
        assertThat(check("worker", "task_submit")).isEqualTo(429);
        assertThat(TestServer.json(server.admin("GET", "/api/admin/audit", null))
                        .get("entries"))
                .isEmpty();

        button("Reset…").click();
        button("Reset").click();
        assertThat(page.locator(".toast")).containsText("2 budgets of agent=worker channel=http tier=heavy reset.");
        assertThat(check("worker", "task_submit")).isEqualTo(200);
        assertThat(page.locator(".area-audit tbody tr"))
                .containsText(new String[] {"reset agent=worker channel=http tier=heavy"});
    }

    /** Two in a row: the second does not replace the first. */
    @Test
    void resetThatIsHeld_isDoneBeforeTheNext() {
        submit("one", 11);
        submit("two", 11);
        show("admin");
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
        for (String agent : new String[] {"one", "two"}) {
            page.getByLabel("Attributes").fill("agent=" + agent + " channel=http tier=heavy");
            button("Reset…").click();
            button("Reset").click();
        }
        await().until(() -> check("one", "task_submit") == 200);
        assertThat(check("two", "task_submit")).isEqualTo(429);
        button("Undo").click();
        assertThat(page.locator(".toast")).containsText("nothing was reset");
    }

    @Test
    void everyonesRates_areChangedInThePage_andUndone() {
        submit("worker", 11);
        show("admin");
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
        assertThat(page.locator(".area-defaults")).containsText("As the configuration says.");
        button("Change…").click();
        page.locator("input[name='agent.heavy']").fill("20/hour");
        button("Review…").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("agent · heavy: 10/hour → 20/hour");
        button("Change rates").click();
        assertThat(page.locator(".toast")).containsText("Everyone’s rates are changed.");
        assertThat(page.locator(".area-defaults")).containsText("agent · heavy 20/hour instead of 10/hour");
        assertThat(check("worker", "task_submit")).isEqualTo(200);
        assertThat(page.locator(".area-audit tbody tr").first()).containsText("set everyone’s rates");
        button("Change…").click();
        assertThat(page.locator("input[name='agent.heavy']")).hasValue("20/hour");
        button("Review…").click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("Nothing is different");
        button("Cancel").click();
        button("Undo").click();
        assertThat(page.locator(".area-defaults")).containsText("As the configuration says.");
        assertThat(check("worker", "task_submit")).isEqualTo(429);
    }

    @Test
    void token_isInMemoryOnly() {
        show("admin");
        page.getByLabel("Admin token").fill(TestServer.TOKEN);
        button("Sign in").click();
        assertThat(button("Forget the token")).isVisible();
        assertThat(window.run("() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,"
                                + " location.href, document.documentElement.outerHTML])")
                        .toString())
                .doesNotContain(TestServer.TOKEN);
        assertThat(window.context.cookies()).isEmpty();
        assertThat(window.asked).noneMatch(url -> url.contains(TestServer.TOKEN));
        page.reload();
        assertThat(page.getByLabel("Admin token")).isVisible();
    }

    @Test
    void withoutAToken_thePageSaysHowToSetOne() {
        server.close();
        server = TestServer.asIs(
                ServerOptions.of(ConfigurationSource.text("test.yaml", YAML)).withDrainDelay(Duration.ZERO));
        show("admin");
        page.getByLabel("Admin token").fill("whatever-it-is");
        button("Sign in").click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("Start the server with --admin-token");
        window.errors.removeIf(error -> error.contains("403"));
    }

    @Test
    void hostileNames_areShownAsText() {
        String script = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>";
        String turned = "\u202Eevil\u202D مرحبا";
        String emoji = "🤖👩‍👩‍👧";
        String longest = "x".repeat(5000);
        for (String name : new String[] {script, turned, emoji, longest, "   "}) {
            submit(name, 11);
        }
        show("subjects");
        assertThat(page.locator(".subject")).hasCount(5);
        assertThat(card(script)).containsText("1 violation");
        assertThat(page.locator(".subject .name")
                        .filter(new Locator.FilterOptions().setHasText("evil"))
                        .evaluate("e => e.tagName + getComputedStyle(e).unicodeBidi"))
                .isEqualTo("BDIisolate");
        assertThat(card(emoji)).containsText("Denied now");
        assertThat(card("(blank)")).containsText("1 violation");
        Locator cut = page.locator(".subject").filter(new Locator.FilterOptions().setHasText("xxxxx"));
        assertThat(cut).containsText("too long to look up");
        for (String view : new String[] {"overview", "limits", "alerts", "subjects"}) {
            page.locator("a[href='#/" + view + "']").first().click();
            assertThat(page.locator("main script, main img")).hasCount(0);
            assertThat((Boolean) window.run("() => document.documentElement.scrollWidth <= innerWidth"))
                    .as(view + " is no wider than the window")
                    .isTrue();
        }
        assertThat(window.run("() => window.hacked")).isNull();
    }

    @Test
    void serverThatGoes_isMissed_andFoundAgain() throws Exception {
        window.mayLoseTheServer = true;
        server.close();
        int port = Ports.reserve();
        server = TestServer.yaml(YAML, options -> options.withAddress("127.0.0.1", port));
        show("subjects");
        submit("before", 2);
        assertThat(card("before")).isVisible();
        server.close();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("The server does not answer.");
        assertThat(page.locator(".live")).hasText("Not live");
        assertThat(page.locator("main")).hasClass("is-stale");
        server = TestServer.yaml(YAML, options -> options.withAddress("127.0.0.1", port));
        assertThat(page.locator(".live")).hasText("Live");
        assertThat(page.getByRole(AriaRole.ALERT)).hasCount(0);
        check("after", "ping");
        assertThat(card("after")).isVisible();
        assertThat(card("before")).hasCount(0);
    }

    @Test
    void withoutAPenalty_whoWasRefusedLately_isLimited() {
        show("subjects");
        // A token a second comes back, so a fixed number of requests may all be allowed on a busy machine.
        while (server.server.weir().check(Map.of("ip", "203.0.113.7")).allowed()) {
            Thread.onSpinWait();
        }
        assertThat(card("203.0.113.7").locator(".badge")).hasText(Pattern.compile("Denied (now|lately)"));
        page.locator("a[href='#/overview']").first().click();
        assertThat(page.locator(".area-needs"))
                .containsText(Pattern.compile("ip 203.0.113.7 (is denied now|was denied lately)"));
        assertThat(page.locator(".area-needs")).containsText("Last denied");
    }

    @Test
    void nothingYet_saysWhatToDo() {
        show("overview");
        assertThat(page.locator(".area-needs")).containsText("Nobody is limited");
        assertThat(page.locator(".area-top")).containsText("No denied requests");
        page.locator("a[href='#/subjects']").click();
        assertThat(empty("./weir check")).isVisible();
        page.locator("a[href='#/alerts']").click();
        assertThat(empty("No alerts")).isVisible();
    }

    /** The previous view may still be shown, with its own empty states. */
    private Locator empty(String text) {
        return page.locator(".empty").filter(new Locator.FilterOptions().setHasText(text));
    }

    @Test
    void policyForbidsEverythingElse_andThePageIsSmall() {
        var response = server.get("/");
        String policy = response.headers().firstValue("Content-Security-Policy").orElseThrow();
        assertThat(policy)
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'")
                .contains("require-trusted-types-for 'script'")
                .doesNotContain("unsafe");
        assertThat(response.body()).doesNotContain("style=").doesNotContain("onclick");
        List<Response> answers = new ArrayList<>();
        page.onResponse(answers::add);
        show("overview");
        int weight = List.copyOf(answers).stream() // reading a body lets further answers arrive
                .filter(answer -> !answer.url().contains("/v1/"))
                .mapToInt(answer -> answer.body().length)
                .sum();
        assertThat(weight).isBetween(50_000, 300_000);
        String style = "/dashboard/weir.css";
        String tag = server.get(style).headers().firstValue("ETag").orElseThrow();
        assertThat(server.send("GET", style, null, "If-None-Match", tag).statusCode())
                .isEqualTo(304);
    }

    @Test
    void manySubjects_areNotAllInTheDocument() {
        for (int i = 0; i < 2000; i++) {
            server.server.weir().check(Map.of("agent", "agent-" + i, "action", "task_submit"));
            if (i == 0) {
                show("subjects");
            }
        }
        assertThat(page.locator(".found")).hasText(Pattern.compile("[12],?\\d* subjects?"));
        for (int i = 0; i < 2000; i++) {
            server.server.weir().check(Map.of("agent", "agent-" + i, "action", "task_submit"));
        }
        assertThat(page.locator(".found")).hasText("2,000 subjects");
        assertThat(page.locator(".subject").count()).isLessThan(100);
        window.run("() => scrollTo(0, document.documentElement.scrollHeight)");
        assertThat(page.locator(".grid-cell[aria-posinset='2000']")).isVisible();
        assertThat(page.locator(".subject").count()).isLessThan(100);
    }

    @Test
    void limit_thatNeverApplied_isPointedOut() {
        server.check("{\"agnt\": \"loud\", \"action\": \"ping\"}");
        show("limits");
        assertThat(page.locator(".limit", new Page.LocatorOptions().setHasText("stricter"))
                        .locator(".banner"))
                .containsText("It has never applied. 1 request matched it and lacked agent; they carry the"
                        + " similar agnt, so one of the two is probably misspelt");
        show("overview");
        assertThat(page.locator(".needs")).containsText("Limit stricter has never applied");

        check("loud", "ping");
        assertThat(page.locator(".area-needs")).not().containsText("never applied");
    }

    @Test
    void overview_asJson_namesLimitsThatNeverApplied() {
        server.check("{\"usr\": \"u\"}");
        JsonNode never = TestServer.json(server.get("/v1/overview")).get("never_applied");
        assertThat(never).hasSize(3);
        assertThat(never.get(1).get("limit").asText()).isEqualTo("stricter");
        assertThat(never.get(1).get("missing").toString()).isEqualTo("[\"agent\"]");
        assertThat(never.get(1).get("carried").toString()).isEqualTo("[\"usr\"]");
        assertThat(never.get(1).get("skipped").asLong()).isEqualTo(1);
    }

    @Test
    void overview_asJson_tellsTheSame() {
        submit("loud", 12);
        await().untilAsserted(() -> {
            JsonNode answer = TestServer.json(server.get("/v1/overview"));
            assertThat(answer.at("/overview/last_hour/denied").asLong()).isEqualTo(2);
            assertThat(answer.at("/overview/top/0/value").asText()).isEqualTo("loud");
            assertThat(answer.at("/overview/limits/stricter/shadow_denied").asLong())
                    .isEqualTo(5);
            assertThat(answer.at("/rules/limits/0/rates/heavy").asText()).isEqualTo("10/hour");
            assertThat(answer.at("/history/allowed")).hasSize(720);
        });
        show("overview");
    }
}
