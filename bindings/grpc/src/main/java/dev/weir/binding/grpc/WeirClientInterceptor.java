package dev.weir.binding.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Waits and tries again when a server refuses a call and says how long to wait, by {@code grpc-retry-pushback-ms} or
 * {@code google.rpc.RetryInfo}.
 *
 * <p>Only calls with one request are repeated, and only while nothing of the answer has come; a server that says "do not"
 * is obeyed. The wait is never shorter than told, and a little longer by chance, so that clients which were refused
 * together do not come back together. A call gives up at once, with the answer that it got, if the wait would pass its
 * deadline. Cancelling it, or its context, ends the wait. Safe for use by any number of threads.
 */
public final class WeirClientInterceptor implements ClientInterceptor {
    private static final Timer TIMER = new TimerThread("weir-grpc-retry");

    private final RetrySetup setup;

    private WeirClientInterceptor(RetrySetup setup) {
        this.setup = setup;
    }

    /** Tries a call up to four times, and waits up to half a minute in all. */
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
     * How calls are repeated.
     *
     * @param attempts how often a call is tried, the first time included
     * @param patience how long it waits in all
     * @param random from 0 to 1
     */
    record RetrySetup(int attempts, Duration patience, Timer timer, DoubleSupplier random) {}

    /** Says how. For one thread. */
    public static final class Builder {
        private static final int ATTEMPTS = 4;
        private static final Duration PATIENCE = Duration.ofSeconds(30);

        private int attempts = ATTEMPTS;
        private Duration patience = PATIENCE;
        private Timer timer = TIMER;
        private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        private Builder() {}

        /** How often a call is tried, the first time included. */
        public Builder attempts(int newAttempts) {
            if (newAttempts < 1) {
                throw new IllegalArgumentException("attempts is " + newAttempts + "; it must be at least 1");
            }
            attempts = newAttempts;
            return this;
        }

        /** How long a call waits in all. */
        public Builder patience(Duration newPatience) {
            if (newPatience.isNegative()) {
                throw new IllegalArgumentException("patience is " + newPatience + "; it must not be negative");
            }
            patience = newPatience;
            return this;
        }

        /** For tests, which do not wait. */
        Builder waitingBy(Timer newTimer, DoubleSupplier newRandom) {
            timer = newTimer;
            random = newRandom;
            return this;
        }

        public WeirClientInterceptor build() {
            return new WeirClientInterceptor(new RetrySetup(attempts, patience, timer, random));
        }
    }
}
