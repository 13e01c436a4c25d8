/** A store in Redis or Valkey that many processes share: one script decides a request in one round trip. */
@NullMarked
package dev.weir.store.redis;

import org.jspecify.annotations.NullMarked;
