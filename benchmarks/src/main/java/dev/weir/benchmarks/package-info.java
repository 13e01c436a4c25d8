/** What Weir costs, measured beside its peers and beside the physical limits. */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
