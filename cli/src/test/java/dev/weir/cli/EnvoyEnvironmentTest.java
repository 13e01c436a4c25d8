package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.store.redis.RedisStoreOptions;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvoyEnvironmentTest {
    private static EnvoyEnvironment of(String... variables) {
        Map<String, String> all = new java.util.HashMap<>();
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i], variables[i + 1]);
        }
        return new EnvoyEnvironment(all::get);
    }

    @Test
    void runtimeRoot_namesTheDirectory_asTheOriginalDoes() {
        assertThat(of("RUNTIME_ROOT", "/data").configuration()).isEqualTo(Path.of("/data/config"));
        assertThat(of("RUNTIME_ROOT", "/data", "RUNTIME_SUBDIRECTORY", "ratelimit")
                        .configuration())
                .isEqualTo(Path.of("/data/ratelimit/config"));
        assertThat(of("RUNTIME_ROOT", "/data", "RUNTIME_APPDIRECTORY", "limits").configuration())
                .isEqualTo(Path.of("/data/limits"));
        assertThat(of("RUNTIME_ROOT", " ", "RUNTIME_SUBDIRECTORY", "ratelimit").configuration())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis:6379          |          |               | redis://redis:6379",
                "redis:6379          |          | p@ss/w        | redis://:p%40ss%2Fw@redis:6379",
                "redis:6379          | single   | eve:p:w       | redis://eve:p%3Aw@redis:6379",
                "a:1,b:2             | CLUSTER  | p             | redis-cluster://:p@a:1,b:2",
                "main,a:1,b:2        | SENTINEL |               | redis-sentinel://a:1,b:2/main",
                "rediss://h:1/3      |          | p             | rediss://:p@h:1/3",
                "redis://u:p@h:1     |          | other         | redis://u:p@h:1",
            })
    void redis_isAStoreThatCanBeOpened(String url, String type, String login, String uri) {
        String store =
                of("REDIS_URL", url, "REDIS_TYPE", type, "REDIS_AUTH", login).store();
        assertThat(store).isEqualTo(uri);
        assertThat(RedisStoreOptions.parse(store)).isNotNull();
    }

    @Test
    void redisTls_isForASingleServer() {
        assertThat(of("REDIS_URL", "h:1", "REDIS_TLS", "true").store()).isEqualTo("rediss://h:1");
        assertThatThrownBy(() -> of("REDIS_URL", "h:1", "REDIS_TLS", "true", "REDIS_TYPE", "CLUSTER")
                        .store())
                .hasMessageContaining("use --store");
        assertThatThrownBy(() -> of("REDIS_URL", "/var/run/nutcracker.sock").store())
                .hasMessageContaining("a Unix socket");
        assertThatThrownBy(() -> of("REDIS_URL", "h:1", "REDIS_TYPE", "RING").store())
                .hasMessageContaining("REDIS_TYPE is 'RING'");
        assertThatThrownBy(
                        () -> of("REDIS_URL", "h:1", "REDIS_TYPE", "SENTINEL").store())
                .hasMessageContaining("MASTER,HOST:PORT");
    }

    /** The words of envconfig's booleans, which the original's settings.go has its switches read by. */
    @ParameterizedTest
    @CsvSource({"1, true", "t, true", "T, true", "TRUE, true", "True, true", "0, false", "f, false", "FALSE, false"})
    void switches_haveTheWordsOfTheOriginal(String word, boolean isOn) {
        assertThat(of("REDIS_URL", "h:1", "REDIS_TLS", word).store()).isEqualTo(isOn ? "rediss://h:1" : "redis://h:1");
        EnvoyEnvironment tls = of("GRPC_SERVER_USE_TLS", word, "GRPC_SERVER_TLS_CERT", "c", "GRPC_SERVER_TLS_KEY", "k");
        assertThat(tls.tls() != null).isEqualTo(isOn);
    }

    @Test
    void switch_withAnotherWord_isAnError() {
        assertThatThrownBy(() -> of("GRPC_SERVER_USE_TLS", "yes").tls())
                .hasMessage("GRPC_SERVER_USE_TLS is 'yes'; it must be true or false");
    }

    @Test
    void levelsAndPorts_areReadOrRefused() {
        assertThat(of("LOG_LEVEL", "Warning").logLevel()).isEqualTo(System.Logger.Level.WARNING);
        assertThat(of("LOG_LEVEL", "DEBUG").logLevel()).isEqualTo(System.Logger.Level.DEBUG);
        assertThat(of().logLevel()).isNull();
        assertThatThrownBy(() -> of("LOG_LEVEL", "loud").logLevel()).hasMessageContaining("LOG_LEVEL is 'loud'");
        assertThat(of("PORT", "0").port("PORT")).isZero();
        assertThat(of().port("PORT")).isNull();
        assertThatThrownBy(() -> of("PORT", "tcp://10.0.0.1:80").port("PORT")).hasMessageContaining("0 to 65535");
    }

    @Test
    void variables_thatWeirDoesNotSupport_areNamed() {
        assertThat(of().ignored()).isEmpty();
        assertThat(of("QUOTA_MODE", "false", "BACKEND_TYPE", "redis", "CONFIG_TYPE", "FILE", "SHADOW_MODE", "true")
                        .ignored())
                .isEmpty();
        assertThat(of(
                                "QUOTA_MODE", "1",
                                "MERGE_DOMAIN_CONFIG", "true",
                                "BACKEND_TYPE", "memcache",
                                "CONFIG_TYPE", "GRPC_XDS_SOTW",
                                "GRPC_UDS", "/tmp/ratelimit.sock")
                        .ignored())
                .containsExactly(
                        "QUOTA_MODE is on, which Weir does not support; it is ignored",
                        "MERGE_DOMAIN_CONFIG is on, which Weir does not support; it is ignored",
                        "BACKEND_TYPE is 'memcache', which Weir does not support; choose the store by --store",
                        "CONFIG_TYPE is 'GRPC_XDS_SOTW', which Weir does not support; the files are used",
                        "GRPC_UDS is '/tmp/ratelimit.sock', which Weir does not support; gRPC is on --grpc-port");
    }

    @Test
    void nameOfClients_thatCannotBeCompared_isAnError() {
        assertThatThrownBy(() -> of(
                                "GRPC_SERVER_USE_TLS", "true",
                                "GRPC_SERVER_TLS_CERT", "c",
                                "GRPC_SERVER_TLS_KEY", "k",
                                "GRPC_CLIENT_TLS_CACERT", "ca",
                                "GRPC_CLIENT_TLS_SAN", "envoy.internal")
                        .clientAuthorities())
                .hasMessageContaining("GRPC_CLIENT_TLS_SAN is 'envoy.internal'");
        assertThat(of("GRPC_CLIENT_TLS_SAN", "envoy.internal").clientAuthorities())
                .as("without TLS it means nothing, as in the original")
                .isNull();
    }

    @Test
    void tls_needsItsSwitch() {
        assertThat(of("GRPC_SERVER_TLS_CERT", "c", "GRPC_SERVER_TLS_KEY", "k").tls())
                .isNull();
        EnvoyEnvironment on = of(
                "GRPC_SERVER_USE_TLS", "true",
                "GRPC_SERVER_TLS_CERT", "c",
                "GRPC_SERVER_TLS_KEY", "k",
                "GRPC_CLIENT_TLS_CACERT", "ca");
        assertThat(on.tls().certificate()).isEqualTo(Path.of("c"));
        assertThat(on.clientAuthorities()).isEqualTo(Path.of("ca"));
        assertThatThrownBy(() -> of("GRPC_SERVER_USE_TLS", "true").tls()).hasMessageContaining("GRPC_SERVER_TLS_CERT");
    }
}
