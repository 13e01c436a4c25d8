package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.fixture.TestTimeouts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators with different tokens may do on the dashboard, and what they see of others' changes. */
@Tag("io")
class DashboardOperatorsTest {
    private static final String YAML = """
            version: 1
            limits: [{ name: heavy, per: [agent], rate: 10/day }]
            """;

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

    private void check(String attributes, int times) {
        for (int i = 0; i < times; i++) {
            server.check(attributes);
        }
    }

    private Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static String sha256(String token) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    }

    private void signIn(String token) {
        page.locator("input[type=password]").fill(token);
        button("Sign in").click();
    }

    @Test
    void tokens_haveNamesAndRoles_andTheAuditNamesThem(@TempDir Path directory) throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens.yaml"), """
                - { name: viewer, role: read, sha256: %s }
                - { name: on-call, role: operate, sha256: %s }
                """.formatted(
                        sha256("token-of-the-viewer"), sha256("token-of-on-call")));
        server = TestServer.yaml(
                YAML, options -> options.withAccess(new AccessOptions(tokens, false, List.of(), List.of())));
        check("{\"agent\":\"a1\"}", 12);
        window.visit(server, "/#/admin");
        assertThat(page.locator("main")).containsText("only to who has a token");
        signIn("token-of-nobody");
        assertThat(page.locator(".failure")).isVisible();
        signIn("token-of-the-viewer");
        assertThat(page.locator(".live")).hasText("Live");
        page.locator("a[href='#/subjects']").first().click();
        page.locator(".subject .cover").click();
        button("Exempt…").click();
        button("Exempt").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("operate");
        page.reload();
        signIn("token-of-on-call");
        page.locator(".subject .cover").click();
        button("Exempt…").click();
        button("Exempt").click();
        assertThat(page.locator(".toast")).containsText("agent=a1 is exempt.");
        page.locator("a[href='#/admin']").first().click();
        assertThat(page.locator(".area-audit tbody tr").first()).containsText("on-call@127.0.0.1");
        window.errors.removeIf(error -> error.contains("401") || error.contains("403"));
    }

    @Test
    void temporaryExemption_countsDown_endsByItself_andIsInTheAudit() {
        server = TestServer.yaml(YAML);
        check("{\"agent\":\"a1\"}", 12);
        window.visit(server, "/#/admin");
        signIn(TestServer.TOKEN);
        server.admin(
                "POST",
                "/api/admin/rate-limits/whitelist",
                "{\"agent\":\"a1\",\"for\":\"20s\",\"reason\":\"release\"}");
        assertThat(page.locator(".exempt-list")).containsText(Pattern.compile("a1.*ends in \\d+ s · release"));
        assertThat(page.locator(".area-audit tbody tr").first())
                .containsText(
                        Pattern.compile("weir.*agent=a1"),
                        new LocatorAssertions.ContainsTextOptions().setTimeout(TestTimeouts.LONG.toMillis()));
        assertThat(page.locator(".area-exempt")).not().containsText("a1");
        page.locator("a[href='#/subjects']").first().click();
        assertThat(page.locator(".subject .badge")).hasText("Denied now");
    }

    /** The preset's limits have several attributes in their keys. */
    @Test
    void refusalsOfThePreset_nameTheSubject() {
        server = TestServer.preset("agent-hub");
        check("{\"agent\":\"a1\",\"action\":\"task_submit\"}", 30);
        window.visit(server, "/#/limits");
        assertThat(page.locator(".table-lately").first()).containsText("a1");
        page.navigate(server.server.url() + "/#/subjects/agent/a1");
        assertThat(page.locator(".decisions tbody tr").first()).containsText("agent=a1");
        assertThat(page.locator(".decisions tbody tr").first()).not().containsText("unknown");
    }
}
