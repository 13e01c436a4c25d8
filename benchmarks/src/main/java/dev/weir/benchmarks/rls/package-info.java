/** Benchmarks of Envoy's rate limit service: Weir's server, a bare gRPC server, and the algorithm of Envoy's own. */
@NullMarked
package dev.weir.benchmarks.rls;

import org.jspecify.annotations.NullMarked;
