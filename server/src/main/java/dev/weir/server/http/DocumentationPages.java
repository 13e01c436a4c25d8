package dev.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The documentation as static pages under {@code /docs/}, if the start script names a directory that has them.
 *
 * <p>The paths are those of the files that were there at the start, so no path of a client ever reaches the file system.
 * The pages load only from this server. Javadoc's pages have inline scripts; no others may.
 */
public final class DocumentationPages {
    /** The system property with the directory; the start scripts set it. */
    public static final String DIRECTORY = "weir.docs";

    private static final String ROOT = "/docs/";
    private static final String INDEX = "index.html";
    private static final String POLICY = "default-src 'none'; script-src 'self'%s; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
            + " frame-ancestors 'none'";
    private static final CharSequence PAGES = HttpHeaders.createOptimized(POLICY.formatted(""));
    private static final CharSequence JAVADOC = HttpHeaders.createOptimized(POLICY.formatted(" 'unsafe-inline'"));
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "png", "image/png",
            "woff", "font/woff",
            "woff2", "font/woff2");

    private final ServerState node;

    public DocumentationPages(ServerState node) {
        this.node = node;
    }

    /** The path of the first page; null if this installation has no documentation. */
    static @Nullable String path() {
        return directory() == null ? null : ROOT;
    }

    private static @Nullable Path directory() {
        String name = System.getProperty(DIRECTORY, "");
        Path directory = Path.of(name).toAbsolutePath();
        return !name.isEmpty() && Files.isRegularFile(directory.resolve(INDEX)) ? directory : null;
    }

    public void register(Router router) {
        Path directory = directory();
        if (directory == null) {
            return;
        }
        for (Path file : filesOf(directory)) {
            String path = ROOT + directory.relativize(file).toString().replace('\\', '/');
            router.add(RouteAccess.NAME, "GET", path, exchange -> serve(exchange, file));
            if (path.endsWith("/" + INDEX)) {
                String parent = path.substring(0, path.length() - INDEX.length());
                router.add(RouteAccess.NAME, "GET", parent, exchange -> serve(exchange, file));
            }
        }
    }

    private static List<Path> filesOf(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Exchange exchange, Path file) {
        String path = exchange.request().path();
        String name = String.valueOf(file.getFileName());
        String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain; charset=utf-8");
        boolean isJavadoc = path != null && path.startsWith(ROOT + "javadoc/");
        HttpServerResponse response = exchange.response()
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Content-Security-Policy", isJavadoc ? JAVADOC : PAGES)
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
                .putHeader(HttpHeaders.CONTENT_TYPE, type);
        node.count(200);
        if (exchange.isHead()) {
            response.end();
        } else {
            response.sendFile(file.toString())
                    .onFailure(e -> exchange.problem(ProblemException.notFound("this page cannot be read any more")));
        }
    }
}
