package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.spi.StoreEnvironment;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterUriTest {
    private static final String MEMBERS = "&members=127.0.0.1:7801,127.0.0.1:7802,127.0.0.1:7803";

    @Test
    void listedMembers_inAnyOrder_areTheSameCluster() {
        ClusterUri one = ClusterUri.parse("cluster://c?bind=127.0.0.1:7802" + MEMBERS);
        ClusterUri other = ClusterUri.parse(
                "cluster://c?members=127.0.0.1:7803,127.0.0.1:7801,127.0.0.1:7802&bind=127.0.0.1:7803");
        assertThat(one.founders()).isEqualTo(other.founders()).hasSize(3);
        assertThat(one.node()).isEqualTo("127.0.0.1:7802");
        assertThat(other.node()).isEqualTo("127.0.0.1:7803");
        assertThat(one.directory().addresses("127.0.0.1:7801"))
                .containsExactly(new InetSocketAddress("127.0.0.1", 7801));
    }

    @Test
    void bindElsewhere_withItsName_isThatMember() {
        ClusterUri uri = ClusterUri.parse("cluster://c?bind=0.0.0.0:7800&node=127.0.0.1:7803" + MEMBERS);
        assertThat(uri.node()).isEqualTo("127.0.0.1:7803");
        assertThat(uri.bind().getPort()).isEqualTo(7800);
    }

    @Test
    void dns_givesEveryAddressOfTheName() {
        ClusterUri uri = ClusterUri.parse("cluster://c?bind=127.0.0.1:7800&dns=localhost:7800&nodes=3&node=1");
        assertThat(uri.node()).isEqualTo("node-1");
        assertThat(uri.founders()).containsExactly("node-0", "node-1", "node-2");
        assertThat(uri.directory().addresses("node-0"))
                .extracting(InetSocketAddress::getPort)
                .containsOnly(7800);
    }

    @Test
    void options_areRead() {
        ClusterUri uri =
                ClusterUri.parse("cluster://c?bind=127.0.0.1:7801&sync=false&election=900ms&patience=300ms" + MEMBERS);
        assertThat(uri.sync()).isFalse();
        assertThat(uri.tls()).isNull();
        assertThat(uri.timing().election()).isEqualTo(Duration.ofMillis(900));
        assertThat(uri.patience()).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void whatIsWrong_isSaidWithoutThePassword() {
        assertFault("cluster://?bind=h:1&members=h:1", "name");
        assertFault("cluster://c", "bind=HOST:PORT");
        assertFault("cluster://c?bind=h&members=h:1", "'bind'");
        assertFault("cluster://c?bind=h:99999&members=h:1", "'bind'");
        assertFault("cluster://c?bind=h:1", "members=HOST:PORT");
        assertFault("cluster://c?bind=h:1&members=h:1&dns=x:1", "one of members");
        assertFault("cluster://c?bind=h:1&members=h:2,h:3", "must be one of the members");
        assertFault("cluster://c?bind=h:1&members=h:1&membrs=x", "no option 'membrs'");
        assertFault("cluster://c?bind=h:1&members=h:1&bind=h:1", "given once");
        assertFault("cluster://c?bind=h:1&dns=x:1&node=3&nodes=3", "0 to 2");
        assertFault("cluster://c?bind=h:1&members=h:1&election=soon", "'election' must be");
        assertFault("cluster://c?bind=h:1&members=h:1&tls-password=topsecret&x=1", "no option 'x'");
        assertFault("cluster://c?bind=h:1&members=h:1&secret=topsecret", "tls-cert");
        assertFault("cluster://c?bind=h:1&members=h:1&tls-cert=a.pem", "tls-ca=FILE");
        assertFault("cluster://c?bind=h:1&members=h:1&tls-cert=a.pem&tls-ca=b.pem&tls-password=topsecret", "a.pem");
        assertFault("cluster://c?bind=h:1&members=h:1&insecure=yes", "'insecure' must be true or false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "192.0.2.1", "[::]"})
    void bindBeyondLoopback_withoutTls_isRefusedWithTheCure(String host) {
        String uri = "cluster://c?bind=" + host + ":7801&node=127.0.0.1:7801" + MEMBERS;
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new ClusterStoreProvider().open(uri, new StoreEnvironment(null, new JsonSettingsFormat())))
                .withMessageContaining("bind=" + host + ":7801")
                .withMessageContaining("tls-cert=FILE")
                .withMessageContaining("insecure=true");
        assertThat(ClusterUri.parse(uri + Certificates.options("node"))
                        .safeBind()
                        .getPort())
                .isEqualTo(7801);
        assertThat(ClusterUri.parse(uri + "&insecure=true").safeBind().getPort())
                .isEqualTo(7801);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.77", "localhost", "[::1]"})
    void bindToLoopback_needsNoTls(String host) {
        String uri = "cluster://c?bind=" + host + ":7801&node=127.0.0.1:7801" + MEMBERS;
        assertThat(ClusterUri.parse(uri).safeBind().getAddress().isLoopbackAddress())
                .isTrue();
    }

    private static void assertFault(String uri, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterUri.parse(uri))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("topsecret"));
    }
}
