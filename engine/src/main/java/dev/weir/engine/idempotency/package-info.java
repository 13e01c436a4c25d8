/** Idempotency keys: repeated requests with the same key are processed once and answered each time. */
@NullMarked
package dev.weir.engine.idempotency;

import org.jspecify.annotations.NullMarked;
