/** Where the responses to requests with an idempotency key are kept. */
@NullMarked
package dev.weir.spi.idempotency;

import org.jspecify.annotations.NullMarked;
