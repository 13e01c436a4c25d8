/** Limits on methods: the interpretation of {@code @RateLimited}, and the advice that checks limits before a call. */
@NullMarked
package dev.weir.spring.method;

import org.jspecify.annotations.NullMarked;
