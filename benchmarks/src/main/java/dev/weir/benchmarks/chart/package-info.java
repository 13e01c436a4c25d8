/** Charts of the benchmarks: the result files that runs have written, and the bar charts that are drawn from them. */
@NullMarked
package dev.weir.benchmarks.chart;

import org.jspecify.annotations.NullMarked;
