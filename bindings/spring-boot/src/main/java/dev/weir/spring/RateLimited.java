package dev.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Calls of this method, or of every public method of this class, are charged to a limit of the configuration, by its name; one beyond it does not happen and ends in
 * a {@link RateLimitedException}.
 *
 * <p>Several of them are one decision: all limits admit the call, or none is spent from. Limits that are not named here do
 * not see the call. Annotations of a method take the place of those of its class. Methods that return a {@code Mono}, a {@code Flux} or another publisher are charged at each
 * subscription, and nothing blocks. As with every proxy, a call within the same object is not seen.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(RateLimited.List.class)
public @interface RateLimited {

    /** The name of the limit. */
    String value();

    /**
     * Whose budget, as a SpEL expression that sees the method's parameters ({@code #user}) and beans ({@code @tenants}).
     * A value is that of the one attribute of the limit's {@code per}; a list has one for each; a map has them by name.
     * Without it, they come from the web request that makes the call. A key that is null, or an attribute that nobody
     * knows, is an error, and the call does not happen.
     */
    String key() default "";

    /** What a call costs, as a SpEL expression; without it, what the limit says. */
    String cost() default "";

    /**
     * Which calls are charged in the end, as a SpEL expression that also sees {@code #result} (null after a failure, and of
     * publishers of several values) and {@code #exception} (null after success), such as {@code #exception != null}. Every
     * call is charged before it begins, so that calls at the same time cannot exceed the limit; one for which this is false
     * gets its charge back when it has ended. Without it, every call is charged.
     */
    String chargeIf() default "";

    /**
     * The name of a method of the same class that is called in place of a refused one: with the same parameters, or these
     * and a {@link RateLimitedException}, and a result of the same type.
     */
    String fallbackMethod() default "";

    /** Several of them on one method or class. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface List {
        RateLimited[] value();
    }
}
