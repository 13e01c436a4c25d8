package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The browser client, in a browser, against a server and against stubbed responses. */
@Tag("io")
class BrowserClientTest {
    private static final String YAML = """
            version: 1
            limits:
              - { name: clicks, per: [user], rate: 10/hour }
              - { name: all, per: [], rate: 1000/min }
              - { name: short, match: { kind: short }, per: [user], rate: 1/s }
            """;

    private static TestServer server;
    private Chromium.Window window;

    @BeforeAll
    static void start() {
        server = TestServer.yaml(YAML);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        window = Chromium.open();
        window.visit(server, "/client/demo.html");
    }

    @AfterEach
    void close() {
        // Chromium logs a refused request as an error.
        window.errors.removeIf(error -> error.contains("429"));
        window.assertBehaved();
        window.close();
    }

    @Test
    void demo_doesNotCallAFailureAllowed() {
        window.page.locator("#attributes").fill("=nameless");
        window.page.locator("#one").click();
        assertThat(window.page.locator("#log li")).containsText("Failed: ");
        window.errors.removeIf(error -> error.contains("400"));
    }

    /** Runs a function body in which {@code client} is the module, and returns its value. */
    private JsonNode run(String body) {
        return TestServer.json(window.run("async () => { const client = await import('/client/weir-client.js'); "
                        + "return JSON.stringify(await (async () => {" + body + "})()); }")
                .toString());
    }

    private static String check(String user) {
        return "'/v1/check', { method: 'POST', body: JSON.stringify({ attributes: { user: '" + user + "' } }) }";
    }

    @Test
    void B11_indicator_goesThroughItsThreeColours() {
        window.page.locator("#attributes").fill("user=colours");
        Locator indicator = window.page.locator("rate-limit-indicator");
        assertThat(indicator).isHidden();
        ask(1);
        assertThat(indicator).hasAttribute("data-level", "green");
        assertThat(indicator).hasText("9/10 requests");
        ask(3);
        assertThat(indicator).hasAttribute("data-level", "green");
        assertThat(indicator).hasAttribute("aria-valuetext", "6 of 10 requests left, plenty left");
        ask(1);
        assertThat(indicator).hasAttribute("data-level", "yellow");
        ask(3);
        assertThat(indicator).hasAttribute("data-level", "red");
        assertThat(indicator).hasAttribute("aria-valuetext", "2 of 10 requests left, nearly used up");
        assertThat(window.page.getByRole(AriaRole.METER)).hasAttribute("aria-valuenow", "2");
        ask(3);
        assertThat(window.page.locator("#log li").first()).containsText("Denied: Rate limit 'clicks' exceeded");
        assertThat(indicator).hasText("0/10 requests");
    }

    private void ask(int times) {
        for (int i = 0; i < times; i++) {
            window.page.waitForResponse(
                    "**/v1/check", () -> window.page.locator("#one").click());
        }
    }

    @Test
    void B11_refusal_isATypedErrorWithTheWait() {
        JsonNode seen = run("let last; for (let i = 0; i < 11; i++) {"
                + " try { await client.fetchWithRateLimit(" + check("typed") + "); } catch (e) { last = e; } }"
                + " return { is: last instanceof client.RateLimitError, name: last.name, ms: last.retryAfterMs,"
                + " secs: last.retryAfterSecs, status: last.response.status, scope: last.body.scope,"
                + " limits: last.limits, message: last.message };");
        assertThat(seen.get("is").asBoolean()).isTrue();
        assertThat(seen.get("name").asText()).isEqualTo("RateLimitError");
        assertThat(seen.get("secs").asLong()).isBetween(300L, 360L);
        assertThat(seen.get("ms").asLong()).isEqualTo(seen.get("secs").asLong() * 1000);
        assertThat(seen.get("status").asInt()).isEqualTo(429);
        assertThat(seen.get("scope").asText()).isEqualTo("user");
        assertThat(seen.at("/limits/name").asText()).isEqualTo("clicks");
        assertThat(seen.at("/limits/remaining").asInt()).isZero();
        assertThat(seen.at("/limits/limits")).hasSize(2);
        assertThat(seen.get("message").asText()).startsWith("Rate limit 'clicks' exceeded");
    }

    @Test
    void refusalAndWarning_areEvents_withACountdown() {
        JsonNode seen = run("const state = new client.RateLimitState(); const waits = []; const warnings = [];"
                + " let over; const end = new Promise((resolve) => { over = resolve; });"
                + " state.addEventListener('wait', (e) => { waits.push(e.detail.remainingSecs);"
                + "   if (e.detail.remainingSecs === 0) over(); });"
                + " state.addEventListener('warning', (e) => warnings.push([e.detail.text, e.detail.limits.remaining]));"
                + " const answers = [[200, { 'X-RateLimit-Warning': 'clicks', 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '2' }],"
                + "   [429, { 'Retry-After': '2' }]];"
                + " const send = client.createFetch({ state, fetch: async () => { const [status, headers] = answers.shift();"
                + "   return new Response('{}', { status, headers }); } });"
                + " await send('/x'); await send('/x').catch(() => {}); const waiting = state.waitUntil !== null;"
                + " state.wait(1); await end; return { waits, warnings, waiting, after: state.waitUntil };");
        assertThat(seen.get("waits").toString()).isEqualTo("[2,1,0]");
        assertThat(seen.get("warnings").toString()).isEqualTo("[[\"clicks\",2]]");
        assertThat(seen.get("waiting").asBoolean()).isTrue();
        assertThat(seen.get("after").isNull()).isTrue();
    }

    @Test
    void indicator_countsDown_refills_andSpeaksAnotherLanguage() {
        run("const shown = document.querySelector('rate-limit-indicator'); shown.setAttribute('countdown', '');"
                + " shown.state = new client.RateLimitState(); window.shownState = shown.state;"
                + " shown.state.set({ name: 'clicks', limit: 10, remaining: 0, limits: [], readAt: new Date(),"
                + "   resetAt: new Date(Date.now() + 3_600_000) }); shown.state.wait(600_000); return 1;");
        Locator indicator = window.page.locator("rate-limit-indicator");
        assertThat(indicator).hasText("0/10 requests · wait 600 s");
        assertThat(indicator).hasText("0/10 requests · wait 599 s");
        run(
                "const shown = document.querySelector('rate-limit-indicator'); shown.removeAttribute('label'); shown.words = { label: 'Anfragen',"
                        + " wait: (s) => `noch ${s} s`, red: 'fast leer', spoken: (r, l, what, level) => `${r} von ${l} ${what}, ${level}` };"
                        + " return 1;");
        assertThat(indicator).hasText(Pattern.compile("0/10 Anfragen · noch 5\\d\\d s"));
        assertThat(indicator).hasAttribute("aria-valuetext", Pattern.compile("0 von 10 Anfragen, fast leer, noch .*"));
        run(
                "const shown = document.querySelector('rate-limit-indicator'); shown.removeAttribute('countdown');"
                        + " shown.setAttribute('refill', ''); window.shownState.set({ name: 'clicks', limit: 10, remaining: 0, limits: [],"
                        + "   readAt: new Date(Date.now() - 1_800_000), resetAt: new Date(Date.now() + 1_790_000) }); return 1;");
        assertThat(indicator).hasText("5/10 Anfragen");
    }

    @Test
    void bothFamiliesOfHeaders_areRead() {
        JsonNode seen = run("const read = (h) => client.readLimits(new Headers(h), 1_000_000);"
                + " return { classic: read({ 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '12', 'X-RateLimit-Reset': '2000' }),"
                + " ietf: read({ 'RateLimit-Policy': '\"a\";q=60;w=60, \"b\\\\\"c\";q=10;w=3600', 'RateLimit': '\"a\";r=59;t=1, \"b\\\\\"c\";r=1;t=30' }),"
                + " both: read({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '1', 'RateLimit-Policy': '\"b\";q=10', 'RateLimit': '\"b\";r=1;t=3' }),"
                + " none: read({ 'Content-Type': 'text/plain' }),"
                + " broken: ['\"a', ';r=1', '\"a\";r=x', '\"a\";r=1.5', ',,', '\"a\";r=-1;r', 'a b', '\"'.repeat(5000)]"
                + "   .map((text) => read({ 'RateLimit': text, 'RateLimit-Policy': '\"a\";q=3' })) };");
        assertThat(seen.at("/classic/limit").asInt()).isEqualTo(60);
        assertThat(seen.at("/classic/remaining").asInt()).isEqualTo(12);
        assertThat(seen.at("/classic/resetAt").asText()).isEqualTo("1970-01-01T00:33:20.000Z");
        assertThat(seen.at("/ietf/name").asText()).isEqualTo("b\"c");
        assertThat(seen.at("/ietf/limit").asInt()).isEqualTo(10);
        assertThat(seen.at("/ietf/resetAt").asText()).isEqualTo("1970-01-01T00:17:10.000Z");
        assertThat(seen.at("/ietf/limits/1/windowSecs").asInt()).isEqualTo(3600);
        assertThat(seen.at("/both/name").asText()).isEqualTo("b");
        assertThat(seen.get("none").isNull()).isTrue();
        assertThat(seen.get("broken"))
                .allSatisfy(one ->
                        assertThat(one.isNull() || one.get("remaining").isInt()).isTrue());
    }

    @Test
    void retry_waitsAtLeastAsLongAsToldPlusJitter() {
        JsonNode seen = run(FAKE + " const waits = []; const real = setTimeout;"
                + " globalThis.setTimeout = (work, ms) => { waits.push(ms); return real(work, 0); };"
                + " try {"
                + "  const answers = [refuse('2'), refuse('3'), new Response('ok')];"
                + "  const send = client.createFetch({ retries: 3, random: () => 1, state: new client.RateLimitState(), fetch: async () => answers.shift() });"
                + "  const text = await (await send('/x')).text();"
                + "  return { text, waits: waits.filter((ms) => ms > 100) };"
                + " } finally { globalThis.setTimeout = real; }");
        assertThat(seen.get("text").asText()).isEqualTo("ok");
        assertThat(seen.get("waits")).extracting(JsonNode::asInt).containsExactly(2500, 3750);
    }

    @Test
    void retry_isLeftAlone_whenItCannotHelp() {
        JsonNode seen = run(
                FAKE + " const tries = async (answer, options, init) => { let n = 0;"
                        + "  const send = client.createFetch({ retries: 2, state: new client.RateLimitState(), ...options, fetch: async () => { n++; return answer(); } });"
                        + "  try { await send('/x', init); } catch (e) { return [n, e.name, e.retryAfterMs]; } };"
                        + " const aborted = AbortSignal.abort();"
                        + " return { noWait: await tries(() => refuse(null)), tooLong: await tries(() => refuse('61')),"
                        + "  stream: await tries(() => refuse('0'), {}, { method: 'POST', body: new ReadableStream(), duplex: 'half' }),"
                        + "  off: await tries(() => refuse('0'), { retries: 0 }), gaveUp: await tries(() => refuse('0')),"
                        + "  aborted: await tries(() => refuse('1'), {}, { signal: aborted }),"
                        + "  date: client.readRetryAfter(new Headers({ 'Retry-After': 'Thu, 01 Jan 1970 00:00:20 GMT' }), 5000) };");
        assertThat(seen.get("noWait").toString()).isEqualTo("[1,\"RateLimitError\",null]");
        assertThat(seen.get("tooLong").toString()).isEqualTo("[1,\"RateLimitError\",61000]");
        assertThat(seen.get("stream").toString()).isEqualTo("[1,\"RateLimitError\",0]");
        assertThat(seen.get("off").toString()).isEqualTo("[1,\"RateLimitError\",0]");
        assertThat(seen.get("gaveUp").toString()).isEqualTo("[3,\"RateLimitError\",0]");
        assertThat(seen.get("aborted").get(1).asText()).isEqualTo("AbortError");
        assertThat(seen.get("date").asInt()).isEqualTo(15_000);
    }

    private static final String FAKE =
            "const refuse = (wait) => new Response('{}', { status: 429, headers: wait === null ? {} : { 'Retry-After': wait } });";

    @Test
    void retry_againstTheServer_isServedInTheEnd() {
        JsonNode seen = run("const ask = client.createFetch({ retries: 5, state: new client.RateLimitState() });"
                + " const body = JSON.stringify({ attributes: { user: 'patient', kind: 'short' } });"
                + " const statuses = []; for (let i = 0; i < 3; i++) statuses.push((await ask('/v1/check', { method: 'POST', body })).status);"
                + " return statuses;");
        assertThat(seen.toString()).isEqualTo("[200,200,200]");
    }

    @Test
    void state_tellsItsSubscribers_untilTheyLeave() {
        JsonNode seen = run("const state = new client.RateLimitState(); const heard = []; let events = 0;"
                + " state.addEventListener('change', () => events++);"
                + " const leave = state.subscribe((value) => heard.push(value && value.remaining));"
                + " const ask = client.createFetch({ state }); await ask(" + check("watched") + "); leave(); await ask("
                + check("watched") + "); return { heard, events, now: state.value.remaining };");
        assertThat(seen.get("heard").toString()).isEqualTo("[null,9]");
        assertThat(seen.get("events").asInt()).isEqualTo(2);
        assertThat(seen.get("now").asInt()).isEqualTo(8);
    }

    @Test
    void indicator_becomesWhole_whenTheLimitHas_andFollowsAnotherState() {
        run("const state = new client.RateLimitState(); const element = document.createElement('rate-limit-indicator');"
                + " element.id = 'other'; element.setAttribute('label', 'messages'); element.state = state; document.body.append(element);"
                + " state.set({ name: 'x', limit: 4, remaining: 0, resetAt: new Date(Date.now() + 300), limits: [], readAt: new Date() });"
                + " return element.dataset.level;");
        Locator other = window.page.locator("#other");
        assertThat(other).hasText("4/4 messages");
        assertThat(other).hasAttribute("data-level", "green");
    }

    @Test
    void everyExport_isTyped() {
        JsonNode names = run("return Object.keys(client).sort();");
        String types = server.get("/client/weir-client.d.ts").body();
        assertThat(names).hasSizeGreaterThanOrEqualTo(9);
        assertThat(names)
                .allSatisfy(name -> assertThat(types)
                        .containsPattern("export declare (class|function|const) " + name.asText() + "\\b"));
    }
}
