package dev.weir.binding.websocket;

import dev.weir.Policy;
import dev.weir.RateLimiter;
import dev.weir.SlidingWindow;
import dev.weir.engine.Weir;
import dev.weir.engine.http.JsonFields;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stages that every message passes: payload size, minimal parse, rate limits, in-flight quota, validation, handler.
 * A message that one stage refuses does not reach the next.
 *
 * <p>Messages of a connection keep their order, also while a remote store decides. Meanwhile few of them wait, and no
 * more are read. An application needs one pipeline; {@link #open} starts a connection. Thread-safe. Closing it stops
 * its hook, but neither the engine nor any connection.
 */
public final class MessagePipeline implements AutoCloseable {
    /*
     * Why the stages have this order, and what each one costs.
     *
     * - Size: counts UTF-8 bytes up to the bound. Nothing of a larger message is parsed.
     * - Minimal parse: reads the type and the id only. A message without a type is malformed. Malformed messages are
     *   counted apart from limits, in this process: too many close the connection, while rate refusals never do.
     * - Rate limits: one check of the engine. It sees the type and the connection, never the payload.
     * - In-flight quota: at most this many messages of a connection are in the handler. It comes after the rate limits,
     *   so a message it refuses has been charged: a client cannot retry for free.
     * - Validation: the application's code, which runs only for admitted messages, because it may be expensive.
     * - Handler: the message is in flight until the returned stage completes.
     *
     * A message that exceeds a limit is first queued for the hook, which runs in another thread. Then the configured
     * action follows: a frame to the client, the end of the connection, or the application's own action.
     *
     * The pipeline is immutable and shared by all connections. All state of a connection is in its session: the queue,
     * the in-flight count, whether it is paused or closed. Only the counter of malformed messages is shared; its entry
     * is reset when the connection closes.
     */

    final Weir weir;
    final MessageHandler handler;
    final PipelineOptions options;
    final Function<Ingress, Map<String, String>> attributes;
    final JsonFields fields;
    final @Nullable HookRunner hook;
    /**
     * Counts malformed messages in this process, whatever store the limits have: a connection exists in one process
     * only.
     */
    final @Nullable RateLimiter malformed;

    private MessagePipeline(Builder builder, MessageHandler handler) {
        this.weir = builder.weir;
        this.handler = handler;
        this.options = builder.options();
        this.attributes = builder.attributes;
        this.fields = JsonFields.at(builder.typePointer, builder.idPointer);
        this.hook = builder.hook == null ? null : new HookRunner(builder.hook);
        this.malformed = builder.mostMalformed == 0
                ? null
                : RateLimiter.of(
                        builder.mostMalformed == 1
                                ? Policy.closed()
                                : SlidingWindow.of(builder.mostMalformed - 1, Duration.ofMinutes(1)));
    }

    public static Builder builder(Weir weir) {
        return new Builder(weir);
    }

    /** Starts a connection. */
    public PipelineSession open(Connection connection) {
        return new PipelineSession(this, connection);
    }

    /** The largest message, in bytes of UTF-8. Adapters pass it to their framework. */
    public int largestPayload() {
        return options.mostBytes();
    }

    /** The number of refusals that the hook did not get, because its queue was full. */
    public long unheardRefusals() {
        return hook == null ? 0 : hook.dropped();
    }

    @Override
    public void close() {
        if (hook != null) {
            hook.close();
        }
    }

    /** The default attributes for limits: everything that is known of the message and its connection. */
    static Map<String, String> everything(Ingress ingress) {
        Map<String, String> attributes = new HashMap<>(ingress.data());
        attributes.put("channel", "ws");
        attributes.put("type", ingress.type());
        attributes.put("connection", ingress.connection());
        attributes.put("ip", ingress.ip());
        return attributes;
    }

    /** The options apart from the limits of the configuration. */
    record PipelineOptions(
            int mostBytes,
            int mostInFlight,
            int mostWaiting,
            int longestType,
            Exceeding exceeding,
            Frames frames,
            @Nullable MessageValidator validator,
            InstantSource clock) {}

    /** Builder. Not thread-safe. */
    public static final class Builder {
        private final Weir weir;
        private Function<Ingress, Map<String, String>> attributes = MessagePipeline::everything;
        private String typePointer = "/type";
        private String idPointer = "/id";
        private int mostBytes = 64 * 1024;
        private int mostInFlight = 64;
        private int mostWaiting = 16;
        private int mostMalformed = 10;
        private Exceeding exceeding = Exceeding.send();
        private Frames frames = Frames.envelope();
        private @Nullable Consumer<LimitExceeded> hook;
        private @Nullable MessageValidator validator;
        private InstantSource clock = Clock.systemUTC();

        private Builder(Weir weir) {
            this.weir = weir;
        }

        /** Sets the attributes that limits use, instead of everything known of the message and its connection. */
        public Builder attributes(Function<Ingress, Map<String, String>> newAttributes) {
            attributes = newAttributes;
            return this;
        }

        /** Sets the JSON Pointers of a message's type and id. The defaults are {@code /type} and {@code /id}. */
        public Builder fields(String type, String id) {
            typePointer = type;
            idPointer = id;
            return this;
        }

        /** Sets the largest message, in bytes of UTF-8. */
        public Builder payloadUpTo(int bytes) {
            mostBytes = positive("payloadUpTo", bytes);
            return this;
        }

        /** Sets how many messages of a connection may be in flight. */
        public Builder inFlightUpTo(int messages) {
            mostInFlight = positive("inFlightUpTo", messages);
            return this;
        }

        /** Sets how many messages of a connection may wait for a store before no more are read. */
        public Builder waitingUpTo(int messages) {
            mostWaiting = positive("waitingUpTo", messages);
            return this;
        }

        /** Sets which malformed message within a minute closes the connection; 10 by default, 0 for none. */
        public Builder malformedUpTo(int messages) {
            if (messages < 0) {
                throw new IllegalArgumentException("malformedUpTo is " + messages + "; it must be at least 0");
            }
            mostMalformed = messages;
            return this;
        }

        public Builder onExceed(Exceeding newExceeding) {
            exceeding = newExceeding;
            return this;
        }

        public Builder frames(Frames newFrames) {
            frames = newFrames;
            return this;
        }

        /** Sets the hook, which is called once for each refused message, in a thread of its own. */
        public Builder onLimitExceeded(Consumer<LimitExceeded> newHook) {
            hook = newHook;
            return this;
        }

        /** Sets the validator, which is called for every message that the limits admitted. */
        public Builder validator(MessageValidator newValidator) {
            validator = newValidator;
            return this;
        }

        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        public MessagePipeline to(MessageHandler handler) {
            return new MessagePipeline(this, handler);
        }

        private PipelineOptions options() {
            return new PipelineOptions(mostBytes, mostInFlight, mostWaiting, 256, exceeding, frames, validator, clock);
        }

        private static int positive(String name, int value) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " is " + value + "; it must be at least 1");
            }
            return value;
        }
    }
}
