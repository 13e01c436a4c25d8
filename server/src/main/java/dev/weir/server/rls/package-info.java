/** The transport of Envoy's rate limit service: gRPC on its own port, and JSON on the port of the HTTP API. */
@NullMarked
package dev.weir.server.rls;

import org.jspecify.annotations.NullMarked;
