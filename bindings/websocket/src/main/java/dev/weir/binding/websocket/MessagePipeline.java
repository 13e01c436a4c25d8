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
 * The way of every message of an application: payload size, minimal parse, rate, in-flight quota, validation, handler. A
 * message that is refused on the way goes no further, and its handler never sees it.
 *
 * <p>Messages of a connection keep their order, also while a store that is elsewhere is asked; meanwhile few of them wait,
 * and no more are read. Made once for an application; {@link #open} begins a connection. Safe for use by any number of
 * threads. Closing it ends its hook, and neither the engine nor any connection.
 */
public final class MessagePipeline implements AutoCloseable {
    final Weir weir;
    final MessageHandler handler;
    final Settings settings;
    final Function<Ingress, Map<String, String>> attributes;
    final JsonFields fields;
    final @Nullable Hook hook;
    /** In this process, whatever store the limits have: a connection lives here and nowhere else. */
    final @Nullable RateLimiter malformed;

    private MessagePipeline(Builder builder, MessageHandler handler) {
        this.weir = builder.weir;
        this.handler = handler;
        this.settings = builder.settings();
        this.attributes = builder.attributes;
        this.fields = JsonFields.at(builder.typePointer, builder.idPointer);
        this.hook = builder.hook == null ? null : new Hook(builder.hook);
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

    /** Begins a connection. */
    public PipelineSession open(Connection connection) {
        return new PipelineSession(this, connection);
    }

    /** The largest message, in bytes of UTF-8, for an adapter to tell its framework. */
    public int largestPayload() {
        return settings.mostBytes();
    }

    /** How many refusals the hook was not told of, because it was not ready to hear. */
    public long unheardRefusals() {
        return hook == null ? 0 : hook.dropped();
    }

    @Override
    public void close() {
        if (hook != null) {
            hook.close();
        }
    }

    /** The attributes that limits see unless told otherwise. */
    static Map<String, String> everything(Ingress ingress) {
        Map<String, String> attributes = new HashMap<>(ingress.data());
        attributes.put("channel", "ws");
        attributes.put("type", ingress.type());
        attributes.put("connection", ingress.connection());
        attributes.put("ip", ingress.ip());
        return attributes;
    }

    /** What a message is measured by, apart from limits of the configuration. */
    record Settings(
            int mostBytes,
            int mostInFlight,
            int mostWaiting,
            int longestType,
            Exceeding exceeding,
            Frames frames,
            @Nullable MessageValidator validator,
            InstantSource clock) {}

    /** Says how. For one thread. */
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

        /** What limits see of a message, in place of all that is known of it and its connection. */
        public Builder attributes(Function<Ingress, Map<String, String>> newAttributes) {
            attributes = newAttributes;
            return this;
        }

        /** Where a message has its type and the sender's name for it, as JSON Pointers; {@code /type} and {@code /id}. */
        public Builder fields(String type, String id) {
            typePointer = type;
            idPointer = id;
            return this;
        }

        /** The largest message, in bytes of UTF-8. */
        public Builder payloadUpTo(int bytes) {
            mostBytes = positive("payloadUpTo", bytes);
            return this;
        }

        /** How many messages of a connection may be handled at the same time. */
        public Builder inFlightUpTo(int messages) {
            mostInFlight = positive("inFlightUpTo", messages);
            return this;
        }

        /** How many messages of a connection may wait for a store before no more are read. */
        public Builder waitingUpTo(int messages) {
            mostWaiting = positive("waitingUpTo", messages);
            return this;
        }

        /** Which malformed message within a minute ends its connection: the tenth, unless told otherwise; 0 for none. */
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

        /** Told once of each refused message, in a thread of its own. */
        public Builder onLimitExceeded(Consumer<LimitExceeded> newHook) {
            hook = newHook;
            return this;
        }

        /** Asked of every message that has passed its limits. */
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

        private Settings settings() {
            return new Settings(mostBytes, mostInFlight, mostWaiting, 256, exceeding, frames, validator, clock);
        }

        private static int positive(String name, int value) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " is " + value + "; it must be at least 1");
            }
            return value;
        }
    }
}
