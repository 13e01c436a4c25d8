/** The common parts of the store benchmarks: contestants, the load on them, and their figures. */
@NullMarked
package dev.weir.benchmarks.load;

import org.jspecify.annotations.NullMarked;
