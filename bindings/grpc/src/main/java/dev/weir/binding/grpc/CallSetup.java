package dev.weir.binding.grpc;

import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What every call is treated by.
 *
 * @param streams counts open streams; null if they are not counted
 * @param longestDelay of one message, with {@link StreamMessages#DELAY}
 * @param executor where handlers run on after a decision that took its time
 */
record CallSetup(
        Weir weir,
        AttributeReader reader,
        StreamMessages messages,
        Duration longestDelay,
        @Nullable ConnectionLimits streams,
        Executor executor,
        Timer timer) {}
