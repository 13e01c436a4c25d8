package dev.weir.spring.method;

import dev.weir.spring.RateLimitedException;
import dev.weir.spring.SetupException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that is called instead of a refused one. Immutable. */
final class Fallback {
    private final Method method;
    private final boolean takesException;

    private Fallback(Method method, boolean takesException) {
        this.method = method;
        this.takesException = takesException;
    }

    /**
     * Finds the method of this name.
     *
     * @param where the annotation, for messages
     * @throws SetupException if the class has none with the same parameters and result
     */
    static Fallback of(String name, Method limited, Class<?> type, String where) {
        Class<?>[] parameters = limited.getParameterTypes();
        Class<?>[] more = Arrays.copyOf(parameters, parameters.length + 1);
        more[parameters.length] = RateLimitedException.class;
        Method with = ReflectionUtils.findMethod(type, name, more);
        Method found = with != null ? with : ReflectionUtils.findMethod(type, name, parameters);
        if (found == null || !ClassUtils.isAssignable(limited.getReturnType(), found.getReturnType())) {
            String needed = Stream.of(parameters).map(Class::getSimpleName).collect(Collectors.joining(", "));
            throw new SetupException(
                    where + " has the fallbackMethod '" + name + "', and " + type.getSimpleName()
                            + " has no such method with its parameters and result.",
                    "Declare " + limited.getReturnType().getSimpleName() + " " + name + "(" + needed
                            + "), with a RateLimitedException behind the other parameters if you need it.");
        }
        ReflectionUtils.makeAccessible(found);
        return new Fallback(found, with != null);
    }

    @Nullable
    Object call(@Nullable Object target, @Nullable Object[] arguments, RateLimitedException refused) throws Throwable {
        @Nullable Object[] all = takesException ? Arrays.copyOf(arguments, arguments.length + 1) : arguments;
        if (takesException) {
            all[arguments.length] = refused;
        }
        try {
            return method.invoke(target, all);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
