package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.fixture.RedisProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** TLS and credentials from the URI: trusted certificates, and secrets that no message reveals. */
@Tag("io")
class RedisTlsTest {
    private static final String PASSWORD = "s3cret-of-redis";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private final RedisProcess redis = RedisProcess.start("--requirepass", PASSWORD);

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void open_ofAServerWithACertificateOfOurAuthority_decidesOverTls() {
        try (TlsProxy tls = new TlsProxy(redis, "dns:localhost,ip:127.0.0.1");
                RedisStore store = open(tls, PASSWORD, "&ca=" + tls.authority())) {
            List<Charge> charges = List.of(Charge.of(Key.of("user", "u1"), TokenBucket.of(2, 1, Duration.ofDays(1))));
            assertThat(store.consume(charges).await(TIMEOUT).admitted()).isTrue();
            assertThat(store.consume(charges).await(TIMEOUT).admitted()).isTrue();
            assertThat(store.consume(charges).await(TIMEOUT).admitted()).isFalse();
        }
    }

    @Test
    void open_ofAServerOfAnUnknownAuthority_fails() {
        try (TlsProxy tls = new TlsProxy(redis, "dns:localhost,ip:127.0.0.1")) {
            refused(tls, PASSWORD, "");
        }
    }

    @Test
    void open_ofAServerWithAnothersCertificate_fails() {
        try (TlsProxy tls = new TlsProxy(redis, "dns:elsewhere.example")) {
            refused(tls, PASSWORD, "&ca=" + tls.authority());
        }
    }

    @Test
    void open_withTheWrongPassword_failsAndTellsNeither() {
        try (TlsProxy tls = new TlsProxy(redis, "dns:localhost,ip:127.0.0.1")) {
            refused(tls, "wrong-" + PASSWORD, "&ca=" + tls.authority());
        }
    }

    @Test
    void open_withoutTlsOfAServerThatWantsIt_fails() {
        try (TlsProxy tls = new TlsProxy(redis, "dns:localhost")) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> RedisStore.open(
                            RedisStoreOptions.parse("redis://:" + PASSWORD + "@localhost:" + tls.port())));
        }
    }

    private static void refused(TlsProxy tls, String password, String more) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> open(tls, password, more).close())
                .satisfies(failure -> {
                    StringWriter all = new StringWriter();
                    failure.printStackTrace(new PrintWriter(all));
                    assertThat(all.toString()).contains("localhost").doesNotContain(PASSWORD);
                });
    }

    private static RedisStore open(TlsProxy tls, String password, String more) {
        return RedisStore.open(
                RedisStoreOptions.parse("rediss://:" + password + "@localhost:" + tls.port() + "?timeout=5s" + more));
    }
}
