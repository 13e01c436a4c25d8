package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs on Lettuce 6, which has no such notifications, and on Lettuce 7, which has them on by default. */
class MaintenanceNotificationsTest {
    @Test
    void disable_leavesNoneEnabled() throws ReflectiveOperationException {
        ClientOptions.Builder builder = ClientOptions.builder();
        MaintenanceNotifications.disable(builder);
        assertThat(areEnabled(builder.build())).isFalse();
    }

    private static boolean areEnabled(ClientOptions options) throws ReflectiveOperationException {
        Optional<Method> getter = Stream.of(ClientOptions.class.getMethods())
                .filter(method -> method.getName().equals("getMaintNotificationsConfig"))
                .findFirst();
        if (getter.isEmpty()) {
            return false;
        }
        Object configuration = getter.get().invoke(options);
        return (boolean)
                configuration.getClass().getMethod("maintNotificationsEnabled").invoke(configuration);
    }
}
