package dev.weir.binding.grpc;

import dev.weir.DurationText;
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
 * A server interceptor that limits gRPC calls. Each call is decided before its handler sees it, without a blocked
 * thread. The client gets the state of the limits. A refused call ends with {@code RESOURCE_EXHAUSTED} and the wait.
 *
 * <p>It provides the attributes {@code channel} ({@code grpc}), {@code method} (as in {@code pkg.Service/Method}),
 * {@code service}, {@code authority}, {@code ip} and {@code type}. The type is {@code call}, or {@code message} for a
 * single message of a stream.
 *
 * <p>It does not close the engine. Closing it, after the server, releases the slots of open streams. Thread-safe.
 */
public final class WeirServerInterceptor implements ServerInterceptor, AutoCloseable {
    /** The context key of the call's {@link Outcome}, for its handler. */
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

    /** Returns an interceptor that uses the engine and the built-in attributes. */
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
            // A call whose attributes cannot be read is refused.
            LOG.log(Level.WARNING, "the attributes of a call could not be read", e);
            call.close(
                    Status.INTERNAL.withDescription("The limits of this call could not be determined"), new Metadata());
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

    /** A cached pool, like gRPC's own: as many threads as handlers need, none when idle. */
    private static ExecutorService threads() {
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "weir-grpc");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Builder. Not thread-safe. */
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

        /** Sets the source of an attribute. */
        public Builder attribute(String name, Extractor extractor) {
            extractors.put(name, extractor);
            return this;
        }

        /** Sets whether messages of client streams are checked, too, and what happens to a refused one. */
        public Builder messages(StreamMessages newMessages) {
            messages = newMessages;
            return this;
        }

        /** Sets the longest delay of one message, 30 s by default; then the call ends. */
        public Builder longestDelay(Duration newLongestDelay) {
            if (newLongestDelay.isNegative()) {
                throw new IllegalArgumentException(
                        "longestDelay is " + DurationText.of(newLongestDelay) + "; it must not be negative");
            }
            longestDelay = newLongestDelay;
            return this;
        }

        /** Counts open streams by the {@code concurrency} limits of the configuration. Unary calls hold no slot. */
        public Builder countingStreams() {
            countsStreams = true;
            return this;
        }

        /** Excludes methods from limits, such as health checks. */
        public Builder skipping(Predicate<MethodDescriptor<?, ?>> newSkips) {
            skips = newSkips;
            return this;
        }

        /**
         * Sets the executor for handlers after a decision of a remote store; preferably the server's own. The default
         * is a pool of the interceptor. Decisions that complete at once need none.
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
