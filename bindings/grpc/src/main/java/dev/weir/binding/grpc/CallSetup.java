package dev.weir.binding.grpc;

import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all calls share.
 *
 * @param streams counts open streams; null if they are not counted
 * @param longestDelay the longest delay of one message, with {@link StreamMessages#DELAY}
 * @param executor runs handlers after a decision that did not complete at once
 */
record CallSetup(
        Weir weir,
        AttributeReader reader,
        StreamMessages messages,
        Duration longestDelay,
        @Nullable ConnectionLimits streams,
        Executor executor,
        Timer timer) {}
