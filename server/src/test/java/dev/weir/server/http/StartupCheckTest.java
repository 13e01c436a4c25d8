package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.ConfigurationSource;
import dev.weir.server.ServerLimits;
import dev.weir.server.ServerOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class StartupCheckTest {
    private static final ServerOptions OPTIONS = ServerOptions.of(ConfigurationSource.preset("chat"));
    private final ConnectionCap connectionCap = new ConnectionCap(ServerLimits.defaults(), address -> false);

    @Test
    void connectionWithoutBounds_isNoStart() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName(OPTIONS.host()))) {
            StartupCheck check = new StartupCheck();
            check.complete(false);
            assertThatThrownBy(() -> check.run(OPTIONS, listening.getLocalPort(), connectionCap))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Vert.x");
        }
    }

    @Test
    void connectionWithBounds_isAStart_andOnlyTheFirstCounts() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName(OPTIONS.host()))) {
            StartupCheck check = new StartupCheck();
            check.complete(true);
            check.complete(false);
            assertThatCode(() -> check.run(OPTIONS, listening.getLocalPort(), connectionCap))
                    .doesNotThrowAnyException();
        }
    }
}
