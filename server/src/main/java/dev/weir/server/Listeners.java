package dev.weir.server;

import dev.weir.server.http.Access;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.ServerState;
import dev.weir.server.netty.BoundedDecoder;
import dev.weir.server.netty.Http2Streams;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The listening sockets: one HTTP server per event loop, all on one port and with the same bounds. */
final class Listeners {
    private static final int MAX_LINE = 8 * 1024;
    /**
     * Bound on reset HTTP/2 streams: a client that opens and resets streams at once has no cost, but the server has.
     */
    private static final int MAX_RESETS = 200;

    private static final int RESET_WINDOW_SECONDS = 10;
    private static final long SWEEP_MILLIS = 1000;

    private static final Set<String> TLS_VERSIONS = new LinkedHashSet<>(List.of("TLSv1.3", "TLSv1.2"));
    /** Cipher suites with authenticated encryption and forward secrecy only. */
    private static final List<String> TLS_SUITES = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private final ServerState node;
    private final ServerOptions options;
    private final Services services;
    private final AtomicInteger port = new AtomicInteger();

    Listeners(ServerState node, ServerOptions options, Services services) {
        this.node = node;
        this.options = options;
        this.services = services;
        this.port.set(options.port());
    }

    int port() {
        return port.get();
    }

    /** Creates the HTTP server of one more event loop. */
    EventLoopServer loop() {
        return new EventLoopServer();
    }

    final class EventLoopServer extends VerticleBase {
        private final Connections connections = new Connections(node, options.limits(), System::nanoTime);
        private @Nullable HttpServer server;

        @Override
        public Future<?> start() {
            vertx.setPeriodic(SWEEP_MILLIS, tick -> connections.sweep());
            HttpServerOptions http = httpOptions();
            server = vertx.createHttpServer(http)
                    .connectionHandler(connection -> connections.opened(connection, http))
                    .invalidRequestHandler(this::invalid)
                    .requestHandler(this::handle);
            return listen(server).onSuccess(listening -> port.set(listening.actualPort()));
        }

        /** Stops accepting connections, and lets responses in flight finish. */
        @Override
        public Future<?> stop() {
            return server == null
                    ? Future.succeededFuture()
                    : server.shutdown(WeirServer.drainTime().toSeconds(), TimeUnit.SECONDS);
        }

        /** Event loops of one deployment share a port only if it is fixed, or the same negative number. */
        private Future<HttpServer> listen(HttpServer server) {
            return server.listen(options.port() == 0 ? -1 : options.port(), options.host());
        }

        private void handle(HttpServerRequest request) {
            HttpConnection connection = request.connection();
            Connections.Watched watched = connections.of(connection);
            watched.request();
            Exchange exchange = new Exchange(node, watched, request);
            if (exchange.isHeld()) {
                exchange.run(() -> services.router().handle(exchange));
            } else {
                exchange.refuseBusy();
            }
        }

        /** Handles a request that the HTTP decoder could not decode. */
        private void invalid(HttpServerRequest request) {
            Exchange exchange = new Exchange(node, connections.of(request.connection()), request);
            Throwable cause = request.decoderResult().cause();
            if (cause instanceof ProblemException doubt) {
                exchange.closing(doubt);
                return;
            }
            String kind = cause == null ? "" : cause.getClass().getSimpleName();
            exchange.closing(
                    switch (kind) {
                        case "TooLongHttpLineException" ->
                            ProblemException.of(
                                    414, "uri_too_long", "the request line is longer than " + MAX_LINE + " bytes");
                        case "TooLongHttpHeaderException" ->
                            ProblemException.of(
                                    431,
                                    "headers_too_large",
                                    "the headers are larger than "
                                            + options.limits().headerBytes() + " bytes, or more than "
                                            + BoundedDecoder.MAX_HEADERS);
                        case "ContentLengthNotAllowedException" ->
                            ProblemException.badField(
                                    "Content-Length",
                                    "a request must not have both Content-Length and Transfer-Encoding");
                        default -> ProblemException.badRequest("this is not HTTP");
                    });
        }
    }

    private HttpServerOptions httpOptions() {
        ServerLimits limits = options.limits();
        HttpServerOptions http = new HttpServerOptions()
                .setMaxInitialLineLength(MAX_LINE)
                .setMaxHeaderSize(limits.headerBytes())
                .setMaxWebSocketFrameSize(Exchange.MAX_BODY)
                .setMaxWebSocketMessageSize(Exchange.MAX_BODY)
                .setWebSocketSubProtocols(List.of(Access.SUBPROTOCOL))
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(Http2Streams.MAX_STREAMS)
                        .setMaxHeaderListSize(limits.headerBytes()))
                .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS)
                .setHttp2RstFloodWindowDuration(RESET_WINDOW_SECONDS)
                .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
                // Detecting HTTP/2 in clear text would leave silent connections unreported. TLS negotiates the
                // protocol.
                .setHttp2ClearTextEnabled(false)
                .setAcceptBacklog(1024)
                .setStrictThreadMode(false);
        ServerOptions.Tls tls = options.tls();
        if (tls != null) {
            TLS_SUITES.forEach(http::addEnabledCipherSuite);
            http.setSsl(true)
                    .setEnabledSecureTransportProtocols(TLS_VERSIONS)
                    .setSslHandshakeTimeout(limits.bodyTime().toMillis())
                    .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                    .setUseAlpn(true)
                    .setKeyCertOptions(new PemKeyCertOptions()
                            .addCertPath(tls.certificate().toString())
                            .addKeyPath(tls.key().toString()));
        }
        return http;
    }
}
