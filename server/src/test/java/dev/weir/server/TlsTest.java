package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTPS with a certificate and a key from PEM files, with HTTP/2. */
@Tag("io")
public class TlsTest {
    @Test
    void checks_overHttp2_admitExactlyTheLimit() throws Exception {
        ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withTls(new ServerOptions.Tls(file("test-cert.pem"), file("test-key.pem")));
        try (TestServer server = TestServer.start(options)) {
            assertThat(server.server.url()).startsWith("https://");
            HttpClient client = client();
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.server.url() + "/v1/check"))
                    .POST(BodyPublishers.ofString("{\"attributes\":{\"agent\":\"t\",\"action\":\"task_submit\"}}"))
                    .build();
            assertThat(client.send(request, BodyHandlers.ofString()).version()).isEqualTo(HttpClient.Version.HTTP_2);
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                answers.add(client.sendAsync(request, BodyHandlers.ofString()));
            }
            assertThat(answers.stream().filter(answer -> answer.join().statusCode() == 200))
                    .hasSize(9);
            HttpRequest large = HttpRequest.newBuilder(URI.create(server.server.url() + "/v1/check"))
                    .POST(BodyPublishers.ofString("x".repeat(70_000)))
                    .build();
            assertThat(client.send(large, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
        }
    }

    @Test
    @Timeout(300)
    void clientsThatNeverBeginTheHandshake_countFromTheFirst_andAreCutOff() throws Exception {
        ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withTls(new ServerOptions.Tls(file("test-cert.pem"), file("test-key.pem")))
                .withLimits(ServerLimits.defaults().withConnections(3).withBodyTime(Duration.ofSeconds(2)));
        List<Socket> silent = new ArrayList<>();
        try (TestServer server = TestServer.start(options)) {
            for (int i = 0; i < 3; i++) {
                silent.add(new Socket(InetAddress.getLoopbackAddress(), server.server.port()));
            }
            HttpRequest live = HttpRequest.newBuilder(URI.create(server.server.url() + "/health/live"))
                    .build();
            assertThatThrownBy(() -> client().send(live, BodyHandlers.ofString()))
                    .as("one connection too many")
                    .isInstanceOf(IOException.class);
            for (Socket socket : silent) {
                assertThat(socket.getInputStream().read())
                        .as("the server hangs up")
                        .isEqualTo(-1);
            }
            assertThat(client().send(live, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256, false",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384, false",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true",
        "TLSv1.3, TLS_AES_128_GCM_SHA256, true",
    })
    void suite_withoutForwardSecrecyOrAuthenticatedEncryption_isRefused(String version, String suite, boolean served)
            throws Exception {
        ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withTls(new ServerOptions.Tls(file("test-cert.pem"), file("test-key.pem")));
        try (TestServer server = TestServer.start(options);
                SSLSocket socket = (SSLSocket) trusting()
                        .getSocketFactory()
                        .createSocket(InetAddress.getLoopbackAddress(), server.server.port())) {
            socket.setEnabledProtocols(new String[] {version});
            socket.setEnabledCipherSuites(new String[] {suite});
            if (served) {
                socket.startHandshake();
                assertThat(socket.getSession().getCipherSuite()).isEqualTo(suite);
            } else {
                assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void filesThatAreNone_areAFaultOfTheConfiguration(@TempDir Path directory) throws Exception {
        Path garbage = Files.writeString(directory.resolve("garbage.pem"), "no certificate");
        for (Path bad : List.of(directory.resolve("nothing.pem"), garbage)) {
            ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                    .withTls(new ServerOptions.Tls(bad, file("test-key.pem")));
            assertThatThrownBy(() -> WeirServer.start(options))
                    .isInstanceOfSatisfying(
                            StartException.class,
                            e -> assertThat(e.why()).isEqualTo(StartException.Cause.CONFIGURATION))
                    .hasMessageContaining(bad.toString())
                    .hasMessageContaining("--tls-cert");
        }
    }

    private static HttpClient client() throws Exception {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(trusting())
                .build();
    }

    public static Path file(String name) throws Exception {
        return Path.of(TlsTest.class.getResource(name).toURI());
    }

    static SSLContext trusting() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = TlsTest.class.getResourceAsStream("test-cert.pem")) {
            store.setCertificateEntry(
                    "test", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
