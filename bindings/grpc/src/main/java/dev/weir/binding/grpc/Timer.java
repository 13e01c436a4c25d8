package dev.weir.binding.grpc;

import java.time.Duration;
import java.util.concurrent.Future;

/** Runs something when a time has passed, never earlier, in a thread that it must not block. */
interface Timer {
    Future<?> after(Duration delay, Runnable task);
}
