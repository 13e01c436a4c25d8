/** For programs that call limited APIs: an HTTP client that minds what servers say about their limits. */
@NullMarked
package dev.weir.client;

import org.jspecify.annotations.NullMarked;
