package dev.weir.server.rls;

import dev.weir.server.envoy.RateLimitQuery;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * A decoded message of a call: a query, or why there is none. Either component is null.
 *
 * @param refusal the status of the response
 */
record DecodedRequest(
        @Nullable RateLimitQuery query, @Nullable Status refusal) {}
