package dev.weir.binding.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import org.jspecify.annotations.Nullable;

/**
 * Where the value of an attribute is found in a call. What is not there (null or empty) is absent, and limits that need
 * it do not apply. Called once for a call, before its handler, in the thread and with the {@link Context} in which gRPC
 * announces the call; it must not block.
 */
@FunctionalInterface
public interface Extractor {
    @Nullable
    String extract(ServerCall<?, ?> call, Metadata headers);

    /**
     * A header, which a client can set as it likes. If it is there several times, the last counts.
     *
     * @throws IllegalArgumentException if there can be no such header, or it is a binary one
     */
    static Extractor metadata(String name) {
        Metadata.Key<String> key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
        return (call, headers) -> headers.get(key);
    }

    /**
     * What an earlier interceptor has put into the context, such as the user whom it has authenticated. It must be the one
     * that runs first: interceptors that are given to a server later run earlier.
     */
    static Extractor context(Context.Key<?> key) {
        return (call, headers) -> {
            Object value = key.get();
            return value == null ? null : value.toString();
        };
    }
}
