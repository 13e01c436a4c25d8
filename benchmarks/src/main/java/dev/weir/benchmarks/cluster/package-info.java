/** The cluster store beside a data grid, each in three JVMs on this machine. */
@NullMarked
package dev.weir.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
