/** Requests that are repeated with the same idempotency key are done once and answered each time. */
@NullMarked
package dev.weir.engine.idempotency;

import org.jspecify.annotations.NullMarked;
