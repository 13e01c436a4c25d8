/** Histories of store operations: generated at random, replayed, and recorded as golden vectors. */
@NullMarked
package dev.weir.testkit.history;

import org.jspecify.annotations.NullMarked;
