/** The storage of responses to requests with an idempotency key. */
@NullMarked
package dev.weir.spi.idempotency;

import org.jspecify.annotations.NullMarked;
