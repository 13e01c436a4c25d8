package dev.weir.store.redis;

import io.lettuce.core.ClientOptions;

/**
 * Disables maintenance notifications, with which a Redis server that moves makes its clients reconnect. Lettuce has
 * them since 7.0, enabled by default.
 *
 * <p>Without them, connections are renewed in the same way on every version, and the handshake has no command that the
 * user may lack permission for. Uses reflection, because an application may use Lettuce 6, which does not have the
 * class.
 */
final class MaintenanceNotifications {
    private static final String CONFIGURATION = "io.lettuce.core.MaintNotificationsConfig";

    private MaintenanceNotifications() {}

    static void disable(ClientOptions.Builder builder) {
        Class<?> configuration;
        try {
            configuration = Class.forName(CONFIGURATION, false, ClientOptions.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return; // Lettuce 6
        }
        try {
            ClientOptions.Builder.class
                    .getMethod("maintNotificationsConfig", configuration)
                    .invoke(builder, configuration.getMethod("disabled").invoke(null));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Lettuce has " + CONFIGURATION + " in a form that Weir does not know", e);
        }
    }
}
