package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Takes the screenshots for the documents, and measures frames. It is not a test, asserts nothing, and runs only by
 * name; see CONTRIBUTING.
 */
class DashboardPictures {
    private static final Path PLACE = Path.of(System.getProperty("weir.pictures", "target/pictures"));
    private static final Duration WARM = Duration.ofSeconds(Long.getLong("weir.pictures.seconds", 240));
    private static final Map<Integer, Integer> SIZES = Map.of(320, 640, 390, 844, 820, 1180, 1200, 800, 1440, 900);
    private static final List<String> NAMES = List.of(
            "indexer",
            "crawler",
            "planner",
            "summarizer",
            "translator",
            "reviewer",
            "deployer",
            "watcher",
            "scheduler",
            "billing-sync",
            "mail-bot",
            "search-eu",
            "search-us",
            "ingest-01",
            "ingest-02",
            "ingest-03",
            "evaluator",
            "router",
            "notifier",
            "archiver",
            "impatient",
            "greedy");

    private static final String YAML = DashboardTest.YAML
            .replace("heavy: 10/hour", "heavy: 10/min")
            .replace("rate: 5/hour, shadow", "rate: 40/min, shadow");

    @Test
    void pictures() throws Exception {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
        try (TestServer server = TestServer.yaml(YAML, options -> options.withName("checkout-eu"))) {
            traffic(server, clock);
            try (Chromium.Window first = Chromium.open()) {
                first.visit(server, "/#/overview");
                first.page.waitForTimeout(WARM.toMillis());
            }
            server.admin(
                    "PUT", "/api/admin/rate-limits/agent=planner", "{\"limits\":{\"agent\":{\"heavy\":\"60/min\"}}}");
            server.admin(
                    "PUT",
                    "/api/admin/rate-limits/agent=crawler",
                    "{\"limits\":{\"agent\":{\"light\":\"600/min\",\"normal\":\"300/min\"}}}");
            server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"watcher\"}");
            for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                for (int width : List.of(320, 390, 820, 1200, 1440)) {
                    take(server, scheme, width);
                }
            }
        } finally {
            clock.shutdownNow();
        }
    }

    private static void traffic(TestServer server, ScheduledExecutorService clock) {
        Random random = new Random(1);
        for (int i = 0; i < NAMES.size(); i++) {
            String name = NAMES.get(i);
            String action = List.of("ping", "message", "task_submit").get(i % 3);
            long every = switch (name) {
                case "greedy" -> 400;
                case "impatient" -> 650;
                default -> List.of(900, 1700, 8000).get(i % 3) + random.nextInt(900);
            };
            Map<String, String> request = Map.of(
                    "agent",
                    name,
                    "action",
                    name.equals("greedy") ? "task_submit" : action,
                    "channel",
                    i % 4 == 0 ? "ws" : "http");
            ScheduledFuture<?> unused = clock.scheduleAtFixedRate(
                    () -> server.server.weir().check(request), random.nextInt(2000), every, TimeUnit.MILLISECONDS);
        }
        ScheduledFuture<?> wave = clock.scheduleAtFixedRate(
                () -> {
                    double phase = System.currentTimeMillis() / 20_000.0;
                    for (int i = 0; i < 3 + 3 * Math.sin(phase); i++) {
                        server.server.weir().check(Map.of("ip", "203.0.113." + random.nextInt(9), "path", "/api/x"));
                    }
                },
                0,
                250,
                TimeUnit.MILLISECONDS);
    }

    private static void take(TestServer server, ColorScheme scheme, int width) {
        try (Chromium.Window window = Chromium.open(width, SIZES.get(width), scheme)) {
            for (String view : List.of("overview", "subjects", "limits", "use", "decisions", "admin", "alerts")) {
                window.page.setViewportSize(width, SIZES.get(width));
                window.visit(server, "/#/" + (view.equals("use") ? "limits?use=agent" : view));
                assertThat(window.page.locator(".live")).hasText("Live");
                if (view.equals("admin")) {
                    window.page.getByLabel("Admin token").fill(TestServer.TOKEN);
                    window.page.keyboard().press("Enter");
                }
                window.page.waitForTimeout(1500);
                picture(window.page, view, width, scheme, !view.equals("subjects"));
                if (view.equals("subjects") && width == 1440) {
                    window.page.locator(".cover").first().click();
                    window.page.waitForTimeout(500);
                    picture(window.page, "subject", width, scheme, false);
                }
            }
            if (width == 820) {
                window.visit(server, "/client/demo.html");
                for (int i = 0; i < 7; i++) {
                    window.page.locator("#one").click();
                    window.page.waitForTimeout(100);
                }
                window.page.setViewportSize(width, 620);
                picture(window.page, "indicator", width, scheme, false);
            }
        }
    }

    private static void picture(Page page, String name, int width, ColorScheme scheme, boolean whole) {
        if (whole) {
            // Elements fixed to the window's edge belong at the picture's edge.
            int height = (int) page.evaluate("() => document.documentElement.scrollHeight");
            page.setViewportSize(width, Math.max(SIZES.get(width), height));
            page.waitForTimeout(300);
        }
        String file = name + "-" + width + "-" + scheme.name().toLowerCase(Locale.ROOT) + ".png";
        page.screenshot(
                new Page.ScreenshotOptions().setPath(PLACE.resolve(file)).setFullPage(whole));
    }

    /** Two thousand subjects with about one request a second each, while the page is scrolled from top to bottom. */
    @Test
    void frames() {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
        try (TestServer server = TestServer.yaml(YAML);
                Chromium.Window window = Chromium.open(1440, 900, ColorScheme.LIGHT)) {
            int[] next = {0};
            ScheduledFuture<?> unused = clock.scheduleAtFixedRate(
                    () -> {
                        for (int i = 0; i < 100; i++) {
                            next[0] = (next[0] + 1) % 2000;
                            server.server.weir().check(Map.of("agent", "agent-" + next[0], "action", "message"));
                        }
                    },
                    0,
                    50,
                    TimeUnit.MILLISECONDS);
            window.visit(server, "/#/subjects");
            assertThat(window.page.locator(".found")).hasText("2,000 subjects");
            for (int round = 1; round <= 3; round++) {
                Object idle = window.run(FRAMES.replace("STEP", "0"));
                Object scrolled = window.run(FRAMES.replace("STEP", "40"));
                System.getLogger("pictures").log(System.Logger.Level.INFO, "frames, standing still: " + idle);
                System.getLogger("pictures").log(System.Logger.Level.INFO, "frames, scrolling: " + scrolled);
            }
        } finally {
            clock.shutdownNow();
        }
    }

    private static final String FRAMES = """
            () => new Promise((resolve) => {
              const times = [];
              scrollTo(0, 0);
              let before = performance.now();
              const end = before + 8000;
              function frame(now) {
                times.push(now - before);
                before = now;
                scrollBy(0, STEP);
                if (now < end) requestAnimationFrame(frame);
                else {
                  times.shift();
                  times.sort((a, b) => a - b);
                  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
                  resolve(`${times.length} frames in 8 s, median ${at(0.5)} ms, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}, `
                    + `over 33 ms: ${times.filter((t) => t > 33).length}, cards in the document: ${document.querySelectorAll('.subject').length}`);
                }
              }
              requestAnimationFrame(frame);
            })""";
}
