package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import dev.weir.fixture.Ports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard and the API of servers that form a cluster, one of which stops. */
@Tag("io")
class DashboardClusterTest {
    @TempDir
    Path data;

    @Test
    @Timeout(300)
    void members_areShown_untilOneStops() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add("127.0.0.1:" + Ports.reserve());
        }
        List<TestServer> servers = new ArrayList<>();
        try (Chromium.Window window = Chromium.open()) {
            for (String member : members) {
                servers.add(start(member, members));
            }
            TestServer server = servers.get(0);
            await().until(() -> isReady(server));
            window.visit(server, "/#/overview");
            Page page = window.page;
            Locator card = page.locator(".area-cluster");
            assertThat(card).containsText("Term ");
            for (String member : members) {
                assertThat(card).containsText(member);
            }
            assertThat(card.getByText("Leader")).hasCount(1);
            assertThat(card.getByText("Follower")).hasCount(2);
            assertThat(card).containsText("this server");

            servers.remove(2).close();
            assertThat(card.getByText("Does not answer")).hasCount(1);
            assertThat(card.getByText("Leader")).hasCount(1);
            window.assertBehaved();
            assertThat(status(server).path("name").asText()).isEqualTo("dashboard");
            assertThat(server.send("POST", "/api/admin/cluster/members", "{\"member\":\"" + members.get(2) + "\"}")
                            .statusCode())
                    .as("without a token")
                    .isEqualTo(401);
            assertThat(server.admin("POST", "/api/admin/cluster/members", "{\"member\":\"a b\"}")
                            .body())
                    .contains("\"field\":\"member\"");
        } finally {
            servers.forEach(TestServer::close);
        }
    }

    private TestServer start(String member, List<String> members) {
        return TestServer.yaml(
                DashboardTest.YAML.replace(
                        "store: memory",
                        "store: cluster://dashboard?bind=" + member + "&members=" + String.join(",", members)),
                options -> options.withData(data));
    }

    private static boolean isReady(TestServer server) {
        JsonNode status = status(server);
        return status.path("ready").asBoolean()
                && status.path("members").findValuesAsText("ready").equals(List.of("true", "true", "true"));
    }

    private static JsonNode status(TestServer server) {
        return TestServer.json(server.get("/v1/cluster"));
    }
}
