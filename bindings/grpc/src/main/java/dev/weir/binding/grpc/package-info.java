/** Limits for gRPC: an interceptor for servers, and one for clients that waits as it is told. */
@NullMarked
package dev.weir.binding.grpc;

import org.jspecify.annotations.NullMarked;
