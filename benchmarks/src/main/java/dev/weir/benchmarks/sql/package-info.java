/** Benchmarks of the SQL store, its peers and the bare statement, on real databases. */
@NullMarked
package dev.weir.benchmarks.sql;

import org.jspecify.annotations.NullMarked;
