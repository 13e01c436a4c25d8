/** What every group of benchmarks needs to measure and to print: effort, figures, tables, progress, machine, profiler. */
@NullMarked
package dev.weir.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
