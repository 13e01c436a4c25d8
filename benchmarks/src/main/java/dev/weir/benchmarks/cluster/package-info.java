/** Benchmarks of the cluster store and a data grid, each in three JVMs on this machine. */
@NullMarked
package dev.weir.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
