/** The Redis store beside its peers, each with the same number of callers on one Redis of its own. */
@NullMarked
package dev.weir.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
