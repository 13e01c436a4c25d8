package dev.weir.store.durableobjects;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** HTTP/2 over TLS in front of a worker, like the edge of the network. Its certificate is self-signed. */
final class EncryptedFront implements AutoCloseable {
    /** As many as a connection carries, and not one more. */
    static final int MOST_STREAMS = 100;

    private static final String PASSWORD = "changeit";
    private static final Set<String> OWN_HEADERS = Set.of("host", "content-length", "connection");

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient inner;
    private final HttpServer server;
    private final int target;
    private final Path authority;
    final Set<HttpVersion> spoken = ConcurrentHashMap.newKeySet();
    final AtomicInteger connections = new AtomicInteger();

    EncryptedFront(int target, Path directory) throws IOException {
        this.target = target;
        this.authority = directory.resolve("authority.pem");
        Path keys = directory.resolve("keys.p12");
        keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=test", "-ext", "san=dns:localhost", "-keystore", keys);
        keytool("-exportcert", "-rfc", "-file", authority, "-keystore", keys);
        this.inner = vertx.createHttpClient(new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(300));
        this.server = await(vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setUseAlpn(true)
                        .setInitialSettings(new Http2Settings().setMaxConcurrentStreams(MOST_STREAMS))
                        .setKeyCertOptions(
                                new PfxOptions().setPath(keys.toString()).setPassword(PASSWORD)))
                .connectionHandler(connection -> connections.incrementAndGet())
                .requestHandler(this::pass)
                .listen(0, "localhost"));
    }

    int port() {
        return server.actualPort();
    }

    /** The certificate of its authority, in PEM. */
    Path authority() {
        return authority;
    }

    private void pass(HttpServerRequest outer) {
        spoken.add(outer.version());
        Future<Buffer> answered = outer.body()
                .compose(body -> inner.request(outer.method(), target, "127.0.0.1", outer.uri())
                        .compose(request -> {
                            outer.headers().forEach((name, value) -> {
                                if (!OWN_HEADERS.contains(name) && !name.startsWith(":")) {
                                    request.putHeader(name, value);
                                }
                            });
                            return request.send(body);
                        }))
                .compose(response -> {
                    outer.response().setStatusCode(response.statusCode());
                    for (String name : List.of("Weir-Protocol", "Weir-Version")) {
                        if (response.getHeader(name) != null) {
                            outer.response().putHeader(name, response.getHeader(name));
                        }
                    }
                    return response.body();
                });
        answered.onSuccess(body -> outer.response().end(body))
                .onFailure(failure -> outer.response().reset());
    }

    private static <T> T await(Future<T> future) {
        return future.toCompletionStage()
                .toCompletableFuture()
                .orTimeout(90, TimeUnit.SECONDS)
                .join();
    }

    private static void keytool(Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        List.of(arguments).forEach(argument -> command.add(argument.toString()));
        command.addAll(List.of("-alias", "worker", "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException("keytool: " + said);
        }
    }

    @Override
    public void close() {
        await(vertx.close());
    }
}
