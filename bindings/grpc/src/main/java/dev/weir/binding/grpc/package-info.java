/**
 * Interceptors for gRPC: one limits the calls of a server, one retries the calls of a client after the advised wait.
 */
@NullMarked
package dev.weir.binding.grpc;

import org.jspecify.annotations.NullMarked;
