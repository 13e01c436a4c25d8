/** Spring Cloud Gateway: the filter of limited routes, and the gateway's {@code RateLimiter}. */
@NullMarked
package dev.weir.spring.gateway;

import org.jspecify.annotations.NullMarked;
