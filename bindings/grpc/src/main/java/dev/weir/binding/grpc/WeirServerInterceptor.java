package dev.weir.binding.grpc;

import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls of a gRPC server: each is decided before its handler hears of it, without a thread that waits, and
 * tells its client how the limits stand. A refused one ends with {@code RESOURCE_EXHAUSTED} and the wait.
 *
 * <p>Of itself it knows the attributes {@code channel} ({@code grpc}), {@code method} (as in {@code pkg.Service/Method}),
 * {@code service}, {@code authority}, {@code ip} and {@code type}, which is {@code call}, or {@code message} when a single
 * message of a stream is asked about.
 *
 * <p>It does not close the engine. Closing it, after the server, gives back what open streams hold. Safe for use by any
 * number of threads.
 */
public final class WeirServerInterceptor implements ServerInterceptor, AutoCloseable {
    /** The {@link Outcome} of the call, for its handler. */
    public static final Context.Key<Outcome> OUTCOME = Context.key("dev.weir.outcome");

    private static final Logger LOG = System.getLogger(WeirServerInterceptor.class.getName());

    private final CallSetup setup;
    private final Predicate<MethodDescriptor<?, ?>> skips;
    private final Runnable stopThreads;

    private WeirServerInterceptor(Builder builder) {
        TimerThread timer = new TimerThread("weir-grpc-timer");
        ExecutorService own = threads();
        this.setup = new CallSetup(
                builder.weir,
                new AttributeReader(builder.weir, builder.extractors),
                builder.messages,
                builder.longestDelay,
                builder.countsStreams ? new ConnectionLimits(builder.weir) : null,
                builder.executor == null ? own : builder.executor,
                timer);
        this.skips = builder.skips;
        this.stopThreads = () -> {
            timer.close();
            own.shutdown();
        };
    }

    /** Limits calls by the engine, with the attributes that it knows of itself. */
    public static WeirServerInterceptor of(Weir weir) {
        return builder(weir).build();
    }

    public static Builder builder(Weir weir) {
        return new Builder(weir);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (skips.test(call.getMethodDescriptor())) {
            return next.startCall(call, headers);
        }
        Request request;
        try {
            request = Request.of(setup.reader().read(call, headers));
        } catch (RuntimeException e) {
            // Who is not known is not let in.
            LOG.log(Level.WARNING, "the attributes of a call could not be read", e);
            call.close(Status.INTERNAL.withDescription("The limits of this call could not be told"), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return new LimitedCall<>(setup, call, headers, next, request).begin();
    }

    @Override
    public void close() {
        ConnectionLimits streams = setup.streams();
        if (streams != null) {
            streams.close();
        }
        stopThreads.run();
    }

    /** Like gRPC's own: as many as handlers need, none when there is nothing to do. */
    private static ExecutorService threads() {
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "weir-grpc");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Says how. For one thread. */
    public static final class Builder {
        private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

        private final Weir weir;
        private final Map<String, Extractor> extractors = new LinkedHashMap<>();
        private StreamMessages messages = StreamMessages.UNLIMITED;
        private Duration longestDelay = LONGEST_DELAY;
        private boolean countsStreams;
        private Predicate<MethodDescriptor<?, ?>> skips = method -> false;
        private @Nullable Executor executor;

        private Builder(Weir weir) {
            this.weir = weir;
        }

        /** Where the value of an attribute is found. */
        public Builder attribute(String name, Extractor extractor) {
            extractors.put(name, extractor);
            return this;
        }

        /** Asks about each message that a client sends on a stream, too, and says what becomes of a refused one. */
        public Builder messages(StreamMessages newMessages) {
            messages = newMessages;
            return this;
        }

        /** The longest that one message is delayed (30 s unless told otherwise); then the call ends. */
        public Builder longestDelay(Duration newLongestDelay) {
            if (newLongestDelay.isNegative()) {
                throw new IllegalArgumentException("longestDelay is " + newLongestDelay + "; it must not be negative");
            }
            longestDelay = newLongestDelay;
            return this;
        }

        /**
         * Counts the streams that are open at the same time by the {@code concurrency} limits of the configuration. Calls
         * with one request and one response hold no slot.
         */
        public Builder countingStreams() {
            countsStreams = true;
            return this;
        }

        /** Lets some methods pass untouched, such as those for health. */
        public Builder skipping(Predicate<MethodDescriptor<?, ?>> newSkips) {
            skips = newSkips;
            return this;
        }

        /**
         * Where handlers run on after a decision for which a store elsewhere was asked, best the server's own executor;
         * threads of the interceptor unless told otherwise. Decisions that are there at once need none.
         */
        public Builder executor(Executor newExecutor) {
            executor = newExecutor;
            return this;
        }

        public WeirServerInterceptor build() {
            return new WeirServerInterceptor(this);
        }
    }
}
