package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import dev.weir.fixture.RedisProcess;
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
            assertThat(page.locator(".area-needs")).containsText("The store does not answer");
            assertThat(page.locator(".area-needs")).containsText("See that the store runs and can be reached");
            assertThat(page.locator(".live")).hasText("Live");
            assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
            page.getByText("See when").click();
            assertThat(page.locator(".entry").first()).containsText("store");

            redis.restart();
            page.navigate(server.server.url() + "/#/overview");
            assertThat(page.locator(".area-store")).containsText("Answers");
            assertThat(page.locator(".area-store")).containsText("Circuit breakerClosed");
            assertThat(page.locator(".area-needs")).not().containsText("The store does not answer");
            assertThat(check(server)).isEqualTo(200);
            window.assertBehaved();
        }
    }

    private static int check(TestServer server) {
        return server.check("{\"agent\":\"a\",\"action\":\"ping\"}").statusCode();
    }
}
