package dev.weir.spring.method;

import org.jspecify.annotations.Nullable;

/** Finds the web request that the current thread serves. */
@FunctionalInterface
public interface WebCalls {

    /** Returns the request; null if this thread serves none. */
    @Nullable
    WebCall current();
}
