/** Limits on methods: what {@code @RateLimited} says of a method, and the advice that asks before it is called. */
@NullMarked
package dev.weir.spring.method;

import org.jspecify.annotations.NullMarked;
