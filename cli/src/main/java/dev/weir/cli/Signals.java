package dev.weir.cli;

import java.lang.reflect.Proxy;

/**
 * Handlers for signals of the operating system: stop, reload the configuration.
 *
 * <p>Uses reflection, because Java has no supported API. If that is missing, signals keep their default behavior.
 */
final class Signals {
    private Signals() {}

    /**
     * Runs an action each time the signal arrives, instead of the default behavior; returns false if that is not
     * possible.
     */
    static boolean on(String signal, Runnable action) {
        try {
            Class<?> signalClass = Class.forName("sun.misc.Signal");
            Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handlerClass}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            action.run();
                        }
                        return switch (method.getName()) {
                            case "equals" -> arguments != null && proxy == arguments[0];
                            case "hashCode" -> System.identityHashCode(proxy);
                            case "toString" -> "on " + signal;
                            default -> null;
                        };
                    });
            Object named = signalClass.getConstructor(String.class).newInstance(signal);
            signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, named, handler);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            // Not available on this system, or the JVM uses this signal itself.
            return false;
        }
    }
}
