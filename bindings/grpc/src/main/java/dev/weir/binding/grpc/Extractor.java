package dev.weir.binding.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import org.jspecify.annotations.Nullable;

/**
 * The source of an attribute in a call. A null or empty value is absent, and limits that need it do not apply. Called
 * once per call, before its handler, in the thread and with the {@link Context} in which gRPC starts the call. Must not
 * block.
 */
@FunctionalInterface
public interface Extractor {
    @Nullable
    String extract(ServerCall<?, ?> call, Metadata headers);

    /**
     * Uses a header. A client can set it to any value. If it occurs several times, the last value counts.
     *
     * @throws IllegalArgumentException if the name is not valid, or it is that of a binary header
     */
    static Extractor metadata(String name) {
        Metadata.Key<String> key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
        return (call, headers) -> headers.get(key);
    }

    /**
     * Uses a value that an earlier interceptor has put into the context, such as the authenticated user. That
     * interceptor must run first: a server runs interceptors in the reverse order of their registration.
     */
    static Extractor context(Context.Key<?> key) {
        return (call, headers) -> {
            Object value = key.get();
            return value == null ? null : value.toString();
        };
    }
}
