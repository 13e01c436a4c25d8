package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.embedded.RedisServer;

/** The dashboard of a server whose Redis is stopped, and started again. */
class DashboardStoreTest {
    private static final LocatorAssertions.ContainsTextOptions IN_A_WHILE =
            new LocatorAssertions.ContainsTextOptions().setTimeout(20_000);

    @Test
    @Timeout(120)
    void storeThatDoesNotAnswer_isShownWithWhatToDo_untilItDoes() throws Exception {
        int port = freePort();
        RedisServer redis = new RedisServer(port);
        redis.start();
        try (TestServer server = TestServer.yaml(
                        DashboardTest.YAML.replace("store: memory", "store: redis://127.0.0.1:" + port));
                Chromium.Window window = Chromium.open()) {
            Page page = window.page;
            window.visit(server, "/#/overview");
            assertThat(page.locator(".area-store")).containsText("Answers");
            assertThat(page.locator(".area-store")).containsText("Circuit breakerClosed");
            assertThat(check(server)).isEqualTo(200);

            redis.stop();
            await().atMost(Duration.ofSeconds(20)).until(() -> check(server) == 429);
            assertThat(page.locator(".area-store")).containsText("Does not answer", IN_A_WHILE);
            assertThat(page.locator(".area-store")).containsText("Circuit breakerOpen");
            assertThat(page.locator(".area-store")).containsText("Kindredis");
            assertThat(page.locator(".area-needs")).containsText("The store does not answer");
            assertThat(page.locator(".area-needs")).containsText("See that the store runs and can be reached");
            assertThat(page.locator(".live")).hasText("Live");
            assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
            page.getByText("See when").click();
            assertThat(page.locator(".entry").first()).containsText("store");

            redis = new RedisServer(port);
            redis.start();
            page.navigate(server.server.url() + "/#/overview");
            assertThat(page.locator(".area-store")).containsText("Answers", IN_A_WHILE);
            assertThat(page.locator(".area-store")).containsText("Circuit breakerClosed");
            assertThat(page.locator(".area-needs")).not().containsText("The store does not answer");
            assertThat(check(server)).isEqualTo(200);
            window.assertBehaved();
        } finally {
            redis.stop();
        }
    }

    private static int check(TestServer server) {
        return server.check("{\"agent\":\"a\",\"action\":\"ping\"}").statusCode();
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
