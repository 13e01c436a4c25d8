/** The PostgreSQL database: one call of the function {@code weir_check} for a batch of checks. Internal. */
@NullMarked
package dev.weir.store.jdbc.postgres;

import org.jspecify.annotations.NullMarked;
