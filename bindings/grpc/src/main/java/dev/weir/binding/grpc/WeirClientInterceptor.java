package dev.weir.binding.grpc;

import dev.weir.DurationText;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * A client interceptor that waits and retries when a server refuses a call and names a wait, by {@code
 * grpc-retry-pushback-ms} or {@code google.rpc.RetryInfo}.
 *
 * <p>It retries only calls with one request, only before any part of the response has arrived, and not if the server
 * forbids it. The wait is never shorter than advised. A random jitter makes it a little longer, so that clients refused
 * together do not retry together. A call fails at once, with the status it got, if the wait would exceed its deadline.
 * Cancelling the call, or its context, ends the wait. Thread-safe.
 */
public final class WeirClientInterceptor implements ClientInterceptor {
    private static final Timer TIMER = new TimerThread("weir-grpc-retry");

    private final RetrySetup setup;

    private WeirClientInterceptor(RetrySetup setup) {
        this.setup = setup;
    }

    /** Returns an interceptor that attempts a call up to four times, and waits up to 30 seconds in all. */
    public static WeirClientInterceptor create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return method.getType().clientSendsOneMessage()
                ? new RepeatedCall<>(setup, method, options, next)
                : next.newCall(method, options);
    }

    /**
     * The settings for retries.
     *
     * @param attempts the most attempts, including the first
     * @param longestWait the longest total wait of a call
     * @param random returns numbers from 0 to 1
     */
    record RetrySetup(int attempts, Duration longestWait, Timer timer, DoubleSupplier random) {}

    /** Builder. Not thread-safe. */
    public static final class Builder {
        private static final int ATTEMPTS = 4;
        private static final Duration DEFAULT_LONGEST_WAIT = Duration.ofSeconds(30);

        private int attempts = ATTEMPTS;
        private Duration longestWait = DEFAULT_LONGEST_WAIT;
        private Timer timer = TIMER;
        private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        private Builder() {}

        /** Sets the most attempts of a call, including the first. */
        public Builder attempts(int newAttempts) {
            if (newAttempts < 1) {
                throw new IllegalArgumentException("attempts is " + newAttempts + "; it must be at least 1");
            }
            attempts = newAttempts;
            return this;
        }

        /** Sets the longest total wait of a call. */
        public Builder longestWait(Duration newLongestWait) {
            if (newLongestWait.isNegative()) {
                throw new IllegalArgumentException(
                        "longestWait is " + DurationText.of(newLongestWait) + "; it must not be negative");
            }
            longestWait = newLongestWait;
            return this;
        }

        /** For tests, which do not wait in real time. */
        Builder waitingBy(Timer newTimer, DoubleSupplier newRandom) {
            timer = newTimer;
            random = newRandom;
            return this;
        }

        public WeirClientInterceptor build() {
            return new WeirClientInterceptor(new RetrySetup(attempts, longestWait, timer, random));
        }
    }
}
