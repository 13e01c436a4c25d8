/** What the measurements of shared stores have in common: contestants, the load on them, and their figures. */
@NullMarked
package dev.weir.benchmarks.load;

import org.jspecify.annotations.NullMarked;
