package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The dashboard is accessible: axe finds no fault, nothing is wider than a phone, and the keyboard reaches everything.
 */
@Tag("io")
class DashboardAccessTest {
    private static final List<String> VIEWS = List.of("overview", "subjects", "limits", "decisions", "admin", "alerts");
    private static TestServer server;
    private static String axe;

    @BeforeAll
    static void start() throws IOException {
        server = TestServer.yaml(DashboardTest.YAML);
        for (int i = 0; i < 22; i++) {
            server.check("{\"agent\":\"loud\",\"action\":\"task_submit\"}");
            server.check("{\"agent\":\"busy-" + i + "\",\"action\":\"task_submit\"}");
        }
        server.admin("PUT", "/api/admin/rate-limits/agent=fast", "{\"limits\":{\"agent\":{\"heavy\":\"99/min\"}}}");
        server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"trusted\"}");
        try (InputStream in = DashboardAccessTest.class.getResourceAsStream("/axe.min.js")) {
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"LIGHT, 1280", "DARK, 1280", "LIGHT, 390"})
    void axe_findsNothing_andNothingIsTooWide(ColorScheme scheme, int width) {
        try (Chromium.Window window = Chromium.open(width, 844, scheme)) {
            for (String view : VIEWS) {
                show(window, view);
                examine(window, view);
                if (view.equals("admin")) {
                    window.page.getByLabel("Admin token").fill(TestServer.TOKEN);
                    window.page.keyboard().press("Enter");
                    assertThat(window.page.locator(".area-audit tbody tr")).hasCount(2);
                    examine(window, "admin, signed in");
                    window.page.getByText("Set rates…").click();
                    examine(window, "the dialog to set rates");
                    window.page.keyboard().press("Escape");
                }
                if (view.equals("subjects")) {
                    window.page.locator(".cover").first().click();
                    examine(window, "the dialog of a subject");
                    window.page.keyboard().press("Escape");
                }
            }
            window.visit(server, "/#/subjects/agent/loud");
            assertThat(window.page.locator(".decisions tbody tr").first()).isVisible();
            examine(window, "the page of a subject");
            window.visit(server, "/#/decisions/explain?agent=loud&action=task_submit");
            assertThat(window.page.locator(".verdict")).isVisible();
            examine(window, "an explanation");
            window.visit(server, "/client/demo.html");
            window.page.locator("#one").click();
            assertThat(window.page.locator("rate-limit-indicator")).isVisible();
            examine(window, "the demo");
            window.assertBehaved();
        }
    }

    private static void show(Chromium.Window window, String view) {
        window.visit(server, "/#/" + view);
        assertThat(window.page.locator(".live")).hasText("Live");
        assertThat(window.page.locator(".nav [aria-current]"))
                .containsText(Character.toUpperCase(view.charAt(0)) + view.substring(1));
    }

    private static void examine(Chromium.Window window, String what) {
        // The page's content security policy would block it, but does not apply to a debugger's call.
        window.run(axe + "; undefined");
        Object found = window.run("async () => (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',"
                + " 'wcag22aa', 'best-practice'] })).violations.map((v) => v.id + ': '"
                + " + v.nodes.map((n) => n.target.join(' ') + ' ' + n.failureSummary).join(' | '))");
        assertThat((List<?>) found).as(what).isEmpty();
        assertThat(window.run("() => document.documentElement.scrollWidth - innerWidth"))
                .as(what + " is no wider than the window")
                .isIn(0, -15);
    }

    @Test
    void everyView_isReachedByKeyboard() {
        try (Chromium.Window window = Chromium.open()) {
            show(window, "overview");
            window.page.keyboard().press("Tab");
            assertThat(window.page.locator(".skip")).isFocused();
            window.page.keyboard().press("Enter");
            assertThat(window.page.locator("main")).isFocused();
            window.page.locator(".nav a").nth(2).focus();
            window.page.keyboard().press("Enter");
            assertThat(window.page.locator("h1")).hasText("Limits");
            window.page.locator(".nav a").nth(0).focus();
            window.page.keyboard().press("Enter");
            window.page.locator(".area-chart .chart svg").focus();
            window.page.keyboard().press("ArrowLeft");
            assertThat(window.page.locator(".area-chart .chart-plot [role=status]"))
                    .containsText("allowed and");
            window.assertBehaved();
        }
    }

    @Test
    void whoWantsNoMotion_hasNone() {
        try (Chromium.Window window = Chromium.open()) {
            window.page.emulateMedia(new com.microsoft.playwright.Page.EmulateMediaOptions()
                    .setReducedMotion(com.microsoft.playwright.options.ReducedMotion.REDUCE));
            show(window, "overview");
            assertThat(window.run("() => document.getAnimations().length")).isEqualTo(0);
        }
    }
}
