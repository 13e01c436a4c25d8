package dev.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Charges calls of this method, or of every public method of this class, to a limit of the configuration. A call beyond
 * the limit is not executed and throws {@link RateLimitedException}.
 *
 * <p>Several annotations are one decision: either all limits admit the call, or none is charged. Limits that are not
 * named here do not apply. Annotations of a method replace those of its class. Methods that return a {@code Mono}, a
 * {@code Flux} or another publisher are charged at each subscription, without blocking. As with every proxy, calls
 * within the same object are not intercepted.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(RateLimited.List.class)
public @interface RateLimited {

    /** The name of the limit. */
    String value();

    /**
     * The owner of the budget, as a SpEL expression over the method's parameters ({@code #user}) and the application's
     * beans ({@code @tenants}). A single value is that of the only attribute of the limit's {@code per}; a list has one
     * value for each attribute; a map has them by name. Without a key, the attributes come from the web request that
     * makes the call. If the key is null or an attribute is unknown, the call throws and is not executed.
     */
    String key() default "";

    /** The cost of a call, as a SpEL expression; without it, the cost that the limit defines. */
    String cost() default "";

    /**
     * Which calls stay charged, as a SpEL expression such as {@code #exception != null}. It also sees {@code #result}
     * (null after a failure, and for publishers of several values) and {@code #exception} (null after success). Every
     * call is charged before it begins, so that concurrent calls cannot exceed the limit. A call for which this is
     * false gets its charge back at its end. Without it, every call is charged.
     */
    String chargeIf() default "";

    /**
     * The name of a method of the same class that is called instead of a refused one. It has the same parameters,
     * optionally followed by a {@link RateLimitedException}, and a result of the same type.
     */
    String fallbackMethod() default "";

    /** Contains several annotations of one method or class. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface List {
        RateLimited[] value();
    }
}
