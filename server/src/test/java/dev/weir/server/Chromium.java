package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.weir.fixture.TestTimeouts;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real browser, started once for all tests. Each test has its own window, which records what no page may do: log an
 * error, throw, or send a request to another origin.
 */
public final class Chromium {
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/chromium-browser"));
    private static final List<String> FLAGS = List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private static Browser browser;

    private Chromium() {}

    private static synchronized Browser browser() {
        if (browser == null) {
            Path program = PLACES.stream()
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no Chromium in " + PLACES + "; ./weir test installs it"));
            PlaywrightAssertions.setDefaultAssertionTimeout(TestTimeouts.LONG.toMillis());
            Playwright playwright = Playwright.create(
                    new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
            browser = playwright
                    .chromium()
                    .launch(new LaunchOptions()
                            .setExecutablePath(program)
                            .setHeadless(true)
                            .setArgs(FLAGS));
            Runtime.getRuntime().addShutdownHook(new Thread(playwright::close));
        }
        return browser;
    }

    public static Window open() {
        return open(1280, 800, ColorScheme.LIGHT);
    }

    public static Window open(int width, int height, ColorScheme scheme) {
        return new Window(browser()
                .newContext(new Browser.NewContextOptions()
                        .setViewportSize(width, height)
                        .setColorScheme(scheme)));
    }

    /** One page of one user. Closing it fails if the page misbehaved. */
    public static final class Window implements AutoCloseable {
        final BrowserContext context;
        public final Page page;
        public final List<String> errors = new ArrayList<>();
        final List<String> asked = new ArrayList<>();
        private String origin = "";
        /** Set by tests that stop the server, which Chromium logs as a network error. */
        boolean mayLoseTheServer;

        private Window(BrowserContext context) {
            this.context = context;
            this.page = context.newPage();
            page.setDefaultTimeout(TestTimeouts.LONG.toMillis());
            page.onConsoleMessage(message -> {
                if (message.type().equals("error") || message.type().equals("warning")) {
                    errors.add(message.text() + " at " + message.location());
                }
            });
            page.onPageError(errors::add);
            page.onRequest(request -> asked.add(request.url()));
        }

        public Window visit(TestServer server, String path) {
            origin = server.server.url();
            page.navigate(origin + path);
            return this;
        }

        /** Runs a script and returns its value. */
        Object run(String script) {
            return page.evaluate(script);
        }

        public void assertBehaved() {
            if (mayLoseTheServer) {
                errors.removeIf(error -> error.contains("net::ERR_"));
            }
            assertThat(errors).as("errors in the console").isEmpty();
            URI home = URI.create(origin);
            assertThat(asked).allSatisfy(url -> {
                URI uri = URI.create(url);
                assertThat(uri.getScheme() + "://" + uri.getAuthority())
                        .isEqualTo(home.getScheme() + "://" + home.getAuthority());
            });
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
