package dev.weir.store.redis;

import io.lettuce.core.ClientOptions;

/**
 * Notifications by which a Redis that moves has its clients reconnect. Lettuce has them since 7.0, on by default.
 *
 * <p>They are disabled, so that connections are renewed in the same way on every version, and no handshake has a command that
 * the user may not be allowed. By reflection, as an application may bring Lettuce 6, which has no such class.
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
            throw new LinkageError("Lettuce has " + CONFIGURATION + ", but not as Weir knows it", e);
        }
    }
}
