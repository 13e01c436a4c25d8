package dev.weir.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the limits of a test's application on a memory store and a clock that stands still, whatever store the
 * application configures. Put it on the test class, beside {@code @SpringBootTest} or a slice of it.
 *
 * <p>The clock, a {@link dev.weir.testkit.FakeClock}, is a bean: inject it and {@linkplain
 * dev.weir.testkit.FakeClock#advance advance} it. Before each test method every budget is full, there are no
 * reservations, leases or penalties, and settings are empty. The clock is not reset.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface WeirTest {}
