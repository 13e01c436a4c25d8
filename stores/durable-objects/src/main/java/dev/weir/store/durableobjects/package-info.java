/** A store in Cloudflare Durable Objects that many processes share: a worker decides a request in one round trip. */
@NullMarked
package dev.weir.store.durableobjects;

import org.jspecify.annotations.NullMarked;
