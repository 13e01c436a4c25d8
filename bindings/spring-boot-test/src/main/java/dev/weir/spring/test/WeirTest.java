package dev.weir.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Puts the limits of a test's application on a memory store and a clock that stands still, whatever store the application
 * names. Beside {@code @SpringBootTest} or a slice of it, on the test class.
 *
 * <p>The clock, a {@link dev.weir.testkit.FakeClock}, is a bean: inject it and {@linkplain
 * dev.weir.testkit.FakeClock#advance advance} it. Before each test method every budget is whole, reservations, leases and
 * penalties are gone, and settings are empty; the clock goes on from where it stands.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface WeirTest {}
