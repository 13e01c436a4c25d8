package dev.weir.server.http;

import dev.weir.engine.json.Json;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Which server this is, for operators who look at several.
 *
 * @param name what the operators call it; null for none
 * @param node the host and the process
 * @param version the version of Weir
 * @param docs the path of the documentation on this server; null if it has none
 */
public record ServerIdentity(
        @Nullable String name,
        String node,
        String version,
        @Nullable String docs) {
    private static final String UNPACKAGED = "(unpackaged)";

    /** Returns the identity of this process under a name. */
    public static ServerIdentity of(@Nullable String name) {
        String version = ServerIdentity.class.getPackage().getImplementationVersion();
        return new ServerIdentity(
                name,
                host() + "/" + ProcessHandle.current().pid(),
                version == null ? UNPACKAGED : version,
                DocumentationPages.path());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }

    /** Writes it as a member of the open object. */
    public void write(Json json) {
        json.name("server")
                .open('{')
                .field("name", name)
                .field("node", node)
                .field("version", version)
                .field("docs", docs)
                .close('}');
    }
}
