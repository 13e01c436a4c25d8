/** Budgets in Redis or Valkey, shared by many processes: one script, one round trip. */
@NullMarked
package dev.weir.store.redis;

import org.jspecify.annotations.NullMarked;
