package dev.weir.server.rls;

import static dev.weir.server.rls.RateLimitClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.GrpcOptions;
import dev.weir.server.ServerOptions;
import dev.weir.server.StartException;
import dev.weir.server.TestServer;
import dev.weir.server.TlsTest;
import dev.weir.server.WeirServer;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** gRPC with TLS, and with certificates of clients. */
@Tag("io")
class RateLimitTlsTest {
    private static ServerOptions.Tls tls() throws Exception {
        return new ServerOptions.Tls(TlsTest.file("test-cert.pem"), TlsTest.file("test-key.pem"));
    }

    @Test
    void call_withTls_isServed_andOneInPlainTextIsNot() throws Exception {
        ServerOptions options =
                RateLimitClient.options().withGrpc(GrpcOptions.of(0).withTls(tls(), null));
        try (TestServer server = TestServer.start(options)) {
            assertThat(server.server.url()).as("HTTP has no TLS").startsWith("http://");
            assertThat(call(server, trusting())).isEqualTo(Code.OK);
            ManagedChannel plain =
                    RateLimitClient.plain(RateLimitClient.address(server)).build();
            assertUnavailable(plain);
        }
    }

    @Test
    void tls_ofTheServer_isThatOfGrpc() throws Exception {
        try (TestServer server = TestServer.start(RateLimitClient.options().withTls(tls()))) {
            assertThat(call(server, trusting())).isEqualTo(Code.OK);
        }
    }

    @Test
    void certificateOfTheClient_whereRequired_isChecked() throws Exception {
        ServerOptions options =
                RateLimitClient.options().withGrpc(GrpcOptions.of(0).withTls(tls(), TlsTest.file("test-cert.pem")));
        try (TestServer server = TestServer.start(options)) {
            SslContextBuilder known = trusting()
                    .keyManager(
                            TlsTest.file("test-cert.pem").toFile(),
                            TlsTest.file("test-key.pem").toFile());
            assertThat(call(server, known)).isEqualTo(Code.OK);
            assertUnavailable(channel(server, trusting()));
        }
    }

    @Test
    void filesThatAreNone_areAFaultOfTheConfiguration(@TempDir Path directory) throws Exception {
        Path garbage = Files.writeString(directory.resolve("garbage.pem"), "no certificate");
        for (GrpcOptions bad : new GrpcOptions[] {
            GrpcOptions.of(0).withTls(new ServerOptions.Tls(garbage, tls().key()), null),
            GrpcOptions.of(0).withTls(new ServerOptions.Tls(tls().certificate(), directory.resolve("none")), null),
            GrpcOptions.of(0).withTls(tls(), garbage),
            GrpcOptions.of(0).withTls(null, tls().certificate())
        }) {
            assertThatThrownBy(() -> WeirServer.start(RateLimitClient.options().withGrpc(bad)))
                    .isInstanceOfSatisfying(
                            StartException.class,
                            e -> assertThat(e.why()).isEqualTo(StartException.Cause.CONFIGURATION))
                    .hasMessageContaining(bad.tls() == null ? "--grpc-tls-cert" : "PEM files");
        }
    }

    private static SslContextBuilder trusting() throws Exception {
        return GrpcSslContexts.forClient()
                .trustManager(TlsTest.file("test-cert.pem").toFile());
    }

    private static ManagedChannel channel(TestServer server, SslContextBuilder tls) throws Exception {
        return NettyChannelBuilder.forAddress(RateLimitClient.address(server))
                .sslContext(tls.build())
                .build();
    }

    private static Code call(TestServer server, SslContextBuilder tls) throws Exception {
        ManagedChannel channel = channel(server, tls);
        try {
            return RateLimitServiceGrpc.newBlockingStub(channel)
                    .shouldRateLimit(request("path", "/tls"))
                    .getOverallCode();
        } finally {
            channel.shutdownNow();
        }
    }

    private static void assertUnavailable(ManagedChannel channel) {
        try {
            assertThatThrownBy(() ->
                            RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(request("path", "/tls")))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
        } finally {
            channel.shutdownNow();
        }
    }
}
