package dev.weir.algorithm;

import java.io.File;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** Classes in the package of the algorithms; one of them obeys the rules. */
public final class Samples {
    private Samples() {}

    public static final class Pure {
        long sum(long[] numbers, Duration time) {
            long[] copy = new long[numbers.length];
            System.arraycopy(numbers, 0, copy, 0, copy.length);
            return Arrays.hashCode(copy) + time.toNanos();
        }
    }

    public static final class ReadsNanos {
        long now() {
            return System.nanoTime();
        }
    }

    public static final class ReadsInstant {
        Instant now() {
            return Instant.now();
        }
    }

    public static final class ReadsEnvironment {
        String home() {
            return System.getenv("HOME");
        }
    }

    public static final class Starts {
        void start() {
            new Thread(() -> {}).start();
        }
    }

    public static final class Waits {
        void park() {
            LockSupport.park();
        }
    }

    public static final class Touches {
        boolean exists() {
            return new File("x").exists();
        }
    }
}
