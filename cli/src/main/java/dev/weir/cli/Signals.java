package dev.weir.cli;

import java.lang.reflect.Proxy;

/**
 * What the operating system tells a process: to stop, to read its configuration again.
 *
 * <p>By reflection, as Java has no supported way; where there is none, signals keep their usual meaning.
 */
final class Signals {
    private Signals() {}

    /** Runs something each time the signal comes, instead of what would happen by itself. */
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
            // Not on this system, or the JVM keeps this one for itself.
            return false;
        }
    }
}
