package dev.weir.binding.grpc;

import java.time.Duration;
import java.util.concurrent.Future;

/** Runs a task after a delay, never earlier, in a thread that the task must not block. */
interface Timer {
    Future<?> after(Duration delay, Runnable task);
}
