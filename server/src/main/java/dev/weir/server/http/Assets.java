package dev.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * The files of the dashboard and of the browser client. They are a fixed list, read once at the start, so no path of a
 * client ever reaches a file system. Each file has its own path and its digest as ETag. The content security policy
 * lets a page load only from this server, and apply no inline script or style.
 */
public final class Assets {
    private static final CharSequence POLICY = HttpHeaders.createOptimized("default-src 'none'; script-src 'self';"
            + " style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
            + " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
    private static final CharSequence FORGET = HttpHeaders.createOptimized("no-store");
    private static final CharSequence REVALIDATE = HttpHeaders.createOptimized("no-cache");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "ts", "text/plain; charset=utf-8",
            "svg", "image/svg+xml");

    private static final String PREACT = "vendor/preact-10.29.8/preact.module.js";
    private static final List<String> DASHBOARD = List.of(
            "weir.css",
            "icon.svg",
            "main.js",
            "state.js",
            "routes.js",
            "stream.js",
            "format.js",
            "parts.js",
            "chart.js",
            "cluster.js",
            "time.js",
            "traffic.js",
            "overview.js",
            "subjects.js",
            "subject.js",
            "decisions.js",
            "limits.js",
            "use.js",
            "admin.js",
            "admin-api.js",
            "actions.js",
            "rates.js",
            "validity.js",
            "alerts.js");

    private final ServerState node;

    public Assets(ServerState node) {
        this.node = node;
    }

    /** A file, plain and compressed. */
    private record Asset(String type, Buffer whole, Buffer packed, String tag) {
        /** Pages are small and not cached; browsers cache the files that they load, and revalidate them. */
        CharSequence caching() {
            return type.startsWith("text/html") ? FORGET : REVALIDATE;
        }
    }

    public void register(Router router) {
        add(router, "/", "dashboard/index.html");
        DASHBOARD.forEach(name -> add(router, "/dashboard/" + name, "dashboard/" + name));
        add(router, "/dashboard/preact.js", PREACT);
        add(router, "/client/weir-client.js", "client/weir-client.js");
        add(router, "/client/weir-client.d.ts", "client/weir-client.d.ts");
        add(router, "/client/demo.html", "client/demo.html");
        add(router, "/client/demo.css", "client/demo.css");
        add(router, "/client/demo.js", "client/demo.js");
    }

    private void add(Router router, String path, String resource) {
        Asset asset = read(resource);
        router.add(RouteAccess.NAME, "GET", path, exchange -> serve(exchange, asset));
    }

    private void serve(Exchange exchange, Asset asset) {
        HttpServerResponse response = exchange.response()
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader(HttpHeaders.CACHE_CONTROL, asset.caching())
                .putHeader(HttpHeaders.ETAG, asset.tag)
                .putHeader(HttpHeaders.VARY, "Accept-Encoding");
        if (asset.tag.equals(exchange.header("If-None-Match"))) {
            node.count(304);
            response.setStatusCode(304).end();
            return;
        }
        String accepted = exchange.header("Accept-Encoding");
        boolean isPacked = accepted != null && accepted.contains("gzip");
        if (isPacked) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        node.count(200);
        response.putHeader(HttpHeaders.CONTENT_TYPE, asset.type).end(isPacked ? asset.packed : asset.whole);
    }

    private static Asset read(String resource) {
        try (InputStream in = Assets.class.getResourceAsStream("/dev/weir/server/" + resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from this build of weir-server");
            }
            byte[] bytes = in.readAllBytes();
            String type = TYPES.get(resource.substring(resource.lastIndexOf('.') + 1));
            return new Asset(String.valueOf(type), Buffer.buffer(bytes), Buffer.buffer(pack(bytes)), tag(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] pack(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(digest, 0, 8) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
