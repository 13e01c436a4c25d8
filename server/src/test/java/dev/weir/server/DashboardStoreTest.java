package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import dev.weir.fixture.RedisProcess;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The dashboard of a server whose Redis is stopped and restarted. */
@Tag("io")
class DashboardStoreTest {
    @Test
    @Timeout(300)
    void storeThatDoesNotAnswer_isShownWithWhatToDo_untilItDoes() throws Exception {
        // A stopped Redis refuses connections at once; a slow response does not count as stopped.
        try (RedisProcess redis = RedisProcess.start();
                TestServer server = TestServer.yaml(
                        DashboardTest.YAML.replace("store: memory", "store: " + redis.uri() + "?timeout=20s"));
                Chromium.Window window = Chromium.open()) {
            Page page = window.page;
            window.visit(server, "/#/overview");
            assertThat(page.locator(".area-store")).containsText("Answers");
            assertThat(page.locator(".area-store")).containsText("Circuit breakerClosed");
            assertThat(check(server)).isEqualTo(200);

            redis.kill();
            await().until(() -> check(server) == 429);
            assertThat(page.locator(".area-store")).containsText("Does not answer");
            assertThat(page.locator(".area-store")).containsText("Circuit breakerOpen");
            assertThat(page.locator(".area-store")).containsText("Kindredis");
            for (String view : new String[] {"overview", "subjects", "limits", "admin", "alerts"}) {
                page.navigate(server.server.url() + "/#/" + view);
                assertThat(page.locator("#banner-store")).containsText("The store does not answer since");
                assertThat(page.locator("#banner-store")).containsText("requests are denied (reason unavailable)");
                assertThat(page.locator("#banner-store")).containsText(Pattern.compile("Now \\d+ a second are denied"));
                assertThat(page.locator("#banner-store")).containsText("See that the store runs and can be reached");
            }
            assertThat(page.locator(".live")).hasText("Store down");
            page.navigate(server.server.url() + "/#/subjects");
            assertThat(page.locator(".subject .badge")).hasText("Unknown");
            page.navigate(server.server.url() + "/#/limits");
            assertThat(page.locator(".limit").first().locator("dl")).containsText("Store down");
            assertThat(page.locator(".limit").first().locator("dl")).containsText("Denied0");
            await().untilAsserted(() -> assertThat(
                            TestServer.json(server.get("/v1/overview")).get("denied_by"))
                    .allSatisfy(row -> assertThat(row.get("reason").asText()).isEqualTo("unavailable"))
                    .isNotEmpty());
            assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
            page.getByText("See when").click();
            assertThat(page.locator(".entry").first()).containsText("store");
            assertThat(page.locator("main")).not().containsText(Pattern.compile("PT\\d|\\.\\."));

            redis.restart();
            page.navigate(server.server.url() + "/#/overview");
            assertThat(page.locator(".area-store")).containsText("Answers");
            assertThat(page.locator(".area-store")).containsText("Circuit breakerClosed");
            assertThat(page.locator("#banner-store")).hasCount(0);
            assertThat(page.locator(".live")).hasText("Live");
            assertThat(check(server)).isEqualTo(200);
            window.assertBehaved();
        }
    }

    private static int check(TestServer server) {
        return server.check("{\"agent\":\"a\",\"action\":\"ping\"}").statusCode();
    }
}
