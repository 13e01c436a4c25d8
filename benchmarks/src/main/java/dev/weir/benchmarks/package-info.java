/** Benchmarks of Weir, its peers and the physical limits. */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
