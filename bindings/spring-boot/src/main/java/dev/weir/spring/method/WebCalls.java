package dev.weir.spring.method;

import org.jspecify.annotations.Nullable;

/** Knows which web request the present thread serves. */
@FunctionalInterface
public interface WebCalls {

    /** The request; null if this thread serves none. */
    @Nullable
    WebCall current();
}
