package dev.weir.cli;

import dev.weir.server.ServerOptions;
import dev.weir.server.envoy.EnvoySwitch;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * The environment variables of Envoy's own rate limit service, by the names that its deployments set. An empty one
 * counts as missing.
 */
final class EnvoyEnvironment {
    /** No variables. */
    static final EnvoyEnvironment NONE = new EnvoyEnvironment(name -> null);

    /** Switches of the original that change its replies, its files or its store, and that Weir does not have. */
    private static final List<String> UNSUPPORTED =
            List.of("QUOTA_MODE", "MERGE_DOMAIN_CONFIG", "RESPONSE_DYNAMIC_METADATA", "REDIS_PERSECOND");

    private final Function<String, @Nullable String> variables;

    EnvoyEnvironment(Function<String, @Nullable String> variables) {
        this.variables = variables;
    }

    /** Returns the variables of this process. */
    static EnvoyEnvironment ofProcess() {
        return new EnvoyEnvironment(System::getenv);
    }

    @Nullable
    String text(String name) {
        String value = variables.apply(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private boolean isOn(String name) {
        return EnvoySwitch.isOn(name, text(name));
    }

    /** Returns the directory of the files; null without {@code RUNTIME_ROOT}. */
    @Nullable
    Path configuration() {
        String root = text("RUNTIME_ROOT");
        if (root == null) {
            return null;
        }
        String below = text("RUNTIME_SUBDIRECTORY");
        String directory = text("RUNTIME_APPDIRECTORY");
        return Path.of(root, below == null ? "" : below, directory == null ? "config" : directory);
    }

    @Nullable
    Integer port(String name) {
        String value = text(name);
        if (value == null) {
            return null;
        }
        if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) > 65_535) {
            throw new IllegalArgumentException(name + " is '" + value + "'; it must be 0 to 65535");
        }
        return Integer.valueOf(value);
    }

    /** Returns the level of log lines; null if the variable is not set. */
    System.Logger.@Nullable Level logLevel() {
        String value = text("LOG_LEVEL");
        if (value == null) {
            return null;
        }
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "trace", "debug" -> System.Logger.Level.DEBUG;
            case "info" -> System.Logger.Level.INFO;
            case "warn", "warning" -> System.Logger.Level.WARNING;
            case "error", "fatal", "panic" -> System.Logger.Level.ERROR;
            default ->
                throw new IllegalArgumentException(
                        "LOG_LEVEL is '" + value + "'; it must be debug, info, warn or error");
        };
    }

    /** Returns the store's URI; null without {@code REDIS_URL}. */
    @Nullable
    String store() {
        String address = text("REDIS_URL");
        if (address == null) {
            return null;
        }
        if (address.contains("://")) {
            return address.contains("@")
                    ? address
                    : address.replaceFirst("://", "://" + Matcher.quoteReplacement(user()));
        }
        if (address.startsWith("/")) {
            throw new IllegalArgumentException(
                    "REDIS_URL is '" + address + "', a Unix socket; it must be HOST:PORT, or use --store");
        }
        String type = text("REDIS_TYPE");
        boolean isSecure = isOn("REDIS_TLS");
        return switch (type == null ? "SINGLE" : type.toUpperCase(Locale.ROOT)) {
            case "SINGLE" -> (isSecure ? "rediss://" : "redis://") + user() + address;
            case "CLUSTER" -> plain("redis-cluster://", isSecure) + user() + address;
            case "SENTINEL" -> sentinel(address, isSecure);
            default ->
                throw new IllegalArgumentException(
                        "REDIS_TYPE is '" + type + "'; it must be SINGLE, CLUSTER or SENTINEL");
        };
    }

    /** The first part is the name of the master, the others are addresses of sentinels. */
    private String sentinel(String address, boolean isSecure) {
        List<String> parts = List.of(address.split(",", -1));
        if (parts.size() < 2) {
            throw new IllegalArgumentException(
                    "REDIS_URL is '" + address + "'; with REDIS_TYPE SENTINEL it must be MASTER,HOST:PORT,…");
        }
        String sentinels = String.join(",", parts.subList(1, parts.size()));
        return plain("redis-sentinel://", isSecure) + user() + sentinels + "/" + parts.get(0);
    }

    private static String plain(String scheme, boolean isSecure) {
        if (isSecure) {
            throw new IllegalArgumentException(
                    "REDIS_TLS is true, which REDIS_URL supports for REDIS_TYPE SINGLE only; use --store");
        }
        return scheme;
    }

    /** {@code REDIS_AUTH} is a password, or a user and a password. */
    private String user() {
        String login = text("REDIS_AUTH");
        if (login == null) {
            return "";
        }
        int colon = login.indexOf(':');
        return encoded(login.substring(0, Math.max(0, colon))) + ":" + encoded(login.substring(colon + 1)) + "@";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the files for TLS; null unless {@code GRPC_SERVER_USE_TLS} is true. */
    ServerOptions.@Nullable Tls tls() {
        if (!isOn("GRPC_SERVER_USE_TLS")) {
            return null;
        }
        String certificate = text("GRPC_SERVER_TLS_CERT");
        String key = text("GRPC_SERVER_TLS_KEY");
        if (certificate == null || key == null) {
            throw new IllegalArgumentException(
                    "GRPC_SERVER_USE_TLS is true; it needs GRPC_SERVER_TLS_CERT and GRPC_SERVER_TLS_KEY");
        }
        return new ServerOptions.Tls(Path.of(certificate), Path.of(key));
    }

    /**
     * Returns the authorities of clients' certificates; null if there are none or TLS is off.
     *
     * @throws IllegalArgumentException if the original would also compare the name in the certificate: without that
     *     comparison more clients would be accepted than before
     */
    @Nullable
    Path clientAuthorities() {
        if (tls() == null) {
            return null;
        }
        String name = text("GRPC_CLIENT_TLS_SAN");
        if (name != null) {
            throw new IllegalArgumentException("GRPC_CLIENT_TLS_SAN is '" + name
                    + "'; Weir accepts every certificate that GRPC_CLIENT_TLS_CACERT has signed: use an authority for"
                    + " these clients alone, and unset GRPC_CLIENT_TLS_SAN");
        }
        String file = text("GRPC_CLIENT_TLS_CACERT");
        return file == null ? null : Path.of(file);
    }

    /** Returns a message for each variable that is set, matters to the original, and is ignored here. */
    List<String> ignored() {
        List<String> messages = new ArrayList<>();
        for (String name : UNSUPPORTED) {
            if (isOn(name)) {
                messages.add(name + " is on, which Weir does not support; it is ignored");
            }
        }
        String backend = text("BACKEND_TYPE");
        if (backend != null && !backend.equals("redis")) {
            messages.add("BACKEND_TYPE is '" + backend + "', which Weir does not support; choose the store by --store");
        }
        String source = text("CONFIG_TYPE");
        if (source != null && !source.equals("FILE")) {
            messages.add("CONFIG_TYPE is '" + source + "', which Weir does not support; the files are used");
        }
        String socket = text("GRPC_UDS");
        if (socket != null) {
            messages.add("GRPC_UDS is '" + socket + "', which Weir does not support; gRPC is on --grpc-port");
        }
        return messages;
    }
}
