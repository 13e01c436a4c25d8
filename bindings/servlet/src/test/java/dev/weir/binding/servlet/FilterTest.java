package dev.weir.binding.servlet;

import static dev.weir.binding.servlet.App.weir;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.testkit.FailureInjectingStore;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Decisions and responses of the filter, in real containers over real sockets. */
@Tag("io")
@ParameterizedClass
@EnumSource(Container.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class FilterTest {
    private static final App.Work OK =
            (request, response) -> response.getWriter().write("served");

    private final Container container;

    FilterTest(Container container) {
        this.container = container;
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse(null);
    }

    @Test
    void everyResponse_tellsHowTheLimitsStand() throws Exception {
        Weir weir = weir("limits: [{ name: general, per: [ip], rate: 2/min, warn: 100% }]");
        try (weir;
                App app = App.start(container, OK, WeirFilter.of(weir))) {
            HttpResponse<String> first = app.get("/x");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(header(first, "X-RateLimit-Limit")).isEqualTo("2");
            assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("1");
            assertThat(Long.parseLong(header(first, "X-RateLimit-Reset")))
                    .isCloseTo(System.currentTimeMillis() / 1000 + 30, org.assertj.core.data.Offset.offset(5L));
            assertThat(header(first, "RateLimit-Policy")).isEqualTo("\"general\";q=2;w=60");
            assertThat(header(first, "RateLimit")).startsWith("\"general\";r=1;t=");
            assertThat(header(first, "Retry-After")).isNull();

            HttpResponse<String> second = app.get("/x", "Origin", "http://elsewhere");
            assertThat(header(second, "X-RateLimit-Warning")).isEqualTo("\"general\";r=0;q=2");
            assertThat(header(second, "Access-Control-Expose-Headers")).contains("X-RateLimit-Remaining");

            HttpResponse<String> refused = app.get("/x");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Content-Type")).startsWith("application/problem+json");
            assertThat(Integer.parseInt(header(refused, "Retry-After"))).isBetween(1, 30);
            assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(refused.body())
                    .contains("\"title\":\"Too Many Requests\"", "\"status\":429", "\"error\":\"rate_limited\"")
                    .contains("\"scope\":\"ip\"", "\"retry_after_secs\":", "\"bucket_id_type\":\"ip\"");
            assertThat(app.served).hasValue(2);
        }
    }

    @Test
    void limitsThatNeedNoUser_actBeforeAuthentication() throws Exception {
        Weir weir = weir(
                "limits:\n  - { name: ip, per: [ip], rate: 3/hour }\n  - { name: user, per: [user], rate: 2/hour }");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("user", Extractor.principal())
                .build();
        try (weir;
                App app = App.start(container, OK, filter, App.authentication(), filter.afterAuthentication())) {
            HttpResponse<String> known = app.get("/x", "X-Login", "ann");
            assertThat(header(known, "RateLimit")).startsWith("\"ip\";r=2;").contains("\"user\";r=1;");
            HttpResponse<String> unknown = app.get("/x");
            assertThat(unknown.statusCode()).isEqualTo(401);
            assertThat(header(unknown, "RateLimit")).startsWith("\"ip\";r=1;").doesNotContain("user");

            assertThat(app.get("/x", "X-Login", "ann").statusCode()).isEqualTo(200);
            HttpResponse<String> refused = app.get("/x");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("\"limit\":\"ip\"");
            assertThat(app.served).hasValue(2);
        }
    }

    @Test
    void whatTheFirstStageTook_isGivenBackWhenTheSecondRefuses() throws Exception {
        Weir weir = weir(
                "limits:\n  - { name: ip, per: [ip], rate: 10/hour }\n  - { name: user, per: [user], rate: 2/hour }");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("user", Extractor.principal())
                .build();
        try (weir;
                App app = App.start(container, OK, filter, App.authentication(), filter.afterAuthentication())) {
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> response = app.get("/x", "X-Login", "ann");
                assertThat(response.statusCode()).isEqualTo(i < 2 ? 200 : 429);
                if (i >= 2) {
                    assertThat(response.body()).contains("\"limit\":\"user\"");
                    assertThat(header(response, "RateLimit")).contains("\"ip\";r=8;", "\"user\";r=0;");
                }
            }
            assertThat(header(app.get("/x", "X-Login", "bob"), "RateLimit")).contains("\"ip\";r=7;");
            assertThat(weir.counts().allowed()).isEqualTo(3);
        }
    }

    @Test
    void preflights_areNotCharged_otherOptionsAre() throws Exception {
        Weir weir = weir("limits: [{ name: general, per: [ip], rate: 5/hour }]");
        try (weir;
                App app = App.start(container, OK, WeirFilter.of(weir))) {
            for (int i = 0; i < 10; i++) {
                HttpResponse<String> preflight = app.send(
                        "OPTIONS", "/x", null, "Origin", "http://elsewhere", "Access-Control-Request-Method", "POST");
                assertThat(preflight.statusCode()).isEqualTo(200);
                assertThat(header(preflight, "X-RateLimit-Limit")).isNull();
            }
            assertThat(header(app.send("OPTIONS", "/x", null), "X-RateLimit-Remaining"))
                    .isEqualTo("4");
        }
    }

    @Test
    void head_isChargedAsGet() throws Exception {
        Weir weir = weir("limits: [{ name: reads, match: { method: GET }, per: [ip], rate: 1/hour }]");
        try (weir;
                App app = App.start(container, OK, WeirFilter.of(weir))) {
            assertThat(app.send("HEAD", "/x", null).statusCode()).isEqualTo(200);
            HttpResponse<String> refused = app.send("HEAD", "/x", null);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).isEmpty();
            assertThat(app.get("/x").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void errorPages_areNotChargedAgain_andTellTheLimits() throws Exception {
        Weir weir = weir("limits: [{ name: general, per: [ip], rate: 10/hour }]");
        App.Work failing = (request, response) -> {
            if (request.getRequestURI().equals("/fail")) {
                throw new IllegalStateException("a failure that the test wants");
            }
            ((HttpServletResponse) response).sendError(404);
        };
        try (weir;
                App app = App.start(container, failing, WeirFilter.of(weir))) {
            HttpResponse<String> missing = app.get("/missing");
            assertThat(missing.statusCode()).isEqualTo(404);
            assertThat(header(missing, "X-RateLimit-Remaining")).isEqualTo("9");
            assertThat(app.get("/fail").statusCode()).isEqualTo(500);
            assertThat(header(app.get("/missing"), "X-RateLimit-Remaining")).isEqualTo("7");
        }
    }

    @Test
    void reset_keepsTheHeaders() throws Exception {
        Weir weir = weir("limits: [{ name: general, per: [ip], rate: 10/hour }]");
        App.Work resetting = (request, response) -> {
            response.setHeader("X-Own", "1");
            response.reset();
            response.getWriter().write("anew");
        };
        try (weir;
                App app = App.start(container, resetting, WeirFilter.of(weir))) {
            HttpResponse<String> response = app.get("/x");
            assertThat(header(response, "X-Own")).isNull();
            assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("9");
        }
    }

    @Test
    void aStoreThatFails_refusesForAMinute() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        store.be(FailureInjectingStore.Behavior.FAILS);
        Weir weir = Weir.of(configuration("{ name: general, per: [ip], rate: 5/hour }"), store, new InMemorySettings());
        try (weir;
                App app = App.start(container, OK, WeirFilter.of(weir))) {
            HttpResponse<String> response = app.get("/x");
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(header(response, "Retry-After")).isEqualTo("60");
            assertThat(response.body()).contains("Rate limiter temporarily unavailable");
            store.be(FailureInjectingStore.Behavior.WELL);
            assertThat(app.get("/x").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void shadowLimits_refuseNobody_andTheExemptAreUntouched() throws Exception {
        Weir weir =
                weir("exempt: { key: [trusted] }\nlimits:\n  - { name: trial, per: [ip], rate: 0/hour, shadow: true }\n"
                        + "  - { name: general, per: [ip], rate: 1/hour }");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("key", Extractor.header("X-Key"))
                .build();
        try (weir;
                App app = App.start(container, OK, filter)) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> exempt = app.get("/x", "X-Key", "trusted");
                assertThat(exempt.statusCode()).isEqualTo(200);
                assertThat(header(exempt, "X-RateLimit-Limit")).isNull();
            }
            HttpResponse<String> shadowed = app.get("/x");
            assertThat(shadowed.statusCode()).isEqualTo(200);
            assertThat(header(shadowed, "RateLimit")).doesNotContain("trial");
            assertThat(app.get("/x").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void attributes_comeFromHeadersCookiesAndVerifiedClaims() throws Exception {
        Weir weir = weir(
                "limits:\n  - { name: tenant, per: [tenant], rate: 9/hour }\n"
                        + "  - { name: session, per: [session], rate: 8/hour }\n  - { name: member, per: [member], by: plan, rate: { pro: 7/hour, default: 1/hour } }");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("tenant", Extractor.header("X-Tenant"))
                .attribute("session", Extractor.cookie("sid"))
                .attribute("member", Extractor.claim("sub"))
                .attribute("plan", Extractor.claim("plan"))
                .build();
        jakarta.servlet.Filter verifying = (request, response, chain) -> {
            request.setAttribute(Extractor.CLAIMS, Map.of("sub", "m1", "plan", "pro"));
            chain.doFilter(request, response);
        };
        try (weir;
                App app = App.start(container, OK, filter, verifying, filter.afterAuthentication())) {
            HttpResponse<String> response = app.get("/x", "X-Tenant", "t", "Cookie", "other=1; sid=s");
            assertThat(header(response, "RateLimit"))
                    .contains("\"tenant\";r=8;", "\"session\";r=7;", "\"member\";r=6;");
        }
    }

    @Test
    void anAttributeThatIsNoCost_isTheClientsFault_andSpendsNothing() throws Exception {
        Weir weir = weir(
                "limits:\n  - { name: general, per: [ip], rate: 5/hour }\n  - { name: tokens, per: [ip], rate: 50/hour, cost: tokens }");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("tokens", Extractor.header("X-Tokens"))
                .build();
        try (weir;
                App app = App.start(container, OK, filter)) {
            HttpResponse<String> bad = app.get("/x", "X-Tokens", "<b>many</b>");
            assertThat(bad.statusCode()).isEqualTo(400);
            assertThat(bad.body()).contains("attribute 'tokens'").doesNotContain("<b>");
            assertThat(header(app.get("/x", "X-Tokens", "20"), "RateLimit"))
                    .contains("\"general\";r=4;", "\"tokens\";r=30;");
        }
    }

    @Test
    void hostileHeaders_neverReachAResponseHeader() throws Exception {
        Weir weir = weir("limits: [{ name: tenant, per: [tenant], rate: 5/hour }]");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("tenant", Extractor.header("X-Tenant"))
                .build();
        try (weir;
                App app = App.start(container, OK, filter);
                Socket socket = new Socket("127.0.0.1", app.port())) {
            String evil = "\u00e9vil\t\"; r=0, \\" + "x".repeat(3000);
            socket.getOutputStream()
                    .write(("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Tenant: " + evil + "\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(answer).startsWith("HTTP/1.1 200").contains("X-RateLimit-Remaining: 4");
            assertThat(answer).doesNotContain("vil").doesNotContain("xxx");
        }
    }

    @Test
    void theOutcome_isThereForTheApplication_andRefusalsCanBeOnesOwn() throws Exception {
        Weir weir = weir("limits: [{ name: general, per: [ip], rate: 1/hour }]");
        App.Work telling = (request, response) -> response.getWriter()
                .write("left "
                        + ((Outcome) request.getAttribute(WeirFilter.OUTCOME))
                                .decisive()
                                .remaining());
        WeirFilter filter = WeirFilter.builder(weir)
                .onRefusal((request, response, outcome) -> response.getWriter().write("no"))
                .skipping(request -> request.getRequestURI().equals("/health"))
                .build();
        try (weir;
                App app = App.start(container, telling, filter)) {
            assertThat(app.get("/x").body()).isEqualTo("left 0");
            HttpResponse<String> refused = app.get("/x");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).isEqualTo("no");
            assertThat(header(refused, "X-RateLimit-Limit")).isEqualTo("1");
        }
    }

    @Test
    void aStoreElsewhere_isAwaitedWithOrWithoutTheThread() throws Exception {
        for (boolean waits : new boolean[] {true, false}) {
            FailureInjectingStore store = new FailureInjectingStore();
            store.be(FailureInjectingStore.Behavior.LATER);
            Weir weir =
                    Weir.of(configuration("{ name: general, per: [ip], rate: 2/hour }"), store, new InMemorySettings());
            WeirFilter.Builder builder = WeirFilter.builder(weir);
            WeirFilter filter = (waits ? builder : builder.withoutWaiting()).build();
            App.Work reading = (request, response) -> response.getWriter()
                    .write(new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            try (weir;
                    App app = App.start(container, reading, filter)) {
                for (int i = 0; i < 2; i++) {
                    HttpResponse<String> response = app.post("/x", "hello");
                    assertThat(response.statusCode()).isEqualTo(200);
                    assertThat(response.body()).isEqualTo("hello");
                    assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo(Integer.toString(1 - i));
                }
                assertThat(app.post("/x", "hello").statusCode()).isEqualTo(429);
                assertThat(weir.counts().allowed()).isEqualTo(2);
            }
        }
    }

    private static dev.weir.engine.config.Configuration configuration(String limit) {
        return new ConfigurationReader(name -> null)
                .read("test.yaml", "version: 1\nlimits: [" + limit + "]")
                .orThrow();
    }
}
