/** Benchmarks of the Redis store and its peers, each with the same number of callers on its own Redis. */
@NullMarked
package dev.weir.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
