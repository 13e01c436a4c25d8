package dev.weir.engine.event;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Posts events to webhooks, in the background. Safe for use by any number of threads.
 *
 * <p>A message is a CloudEvent in structured JSON ({@code application/cloudevents+json}). With a secret it is signed in
 * the header
 *
 * <pre>{@code X-Weir-Signature: t=1767323045,v1=5257a869e7…}</pre>
 *
 * <p>where {@code t} is the time of the attempt in Unix seconds. {@code v1} is the lower-case hexadecimal HMAC-SHA256,
 * under the secret's UTF-8 bytes, of the text {@code t}, a full stop, and the body as it was sent. A receiver computes
 * the same, compares in constant time, and refuses an old {@code t}. {@code X-Weir-Delivery} is the event's id, the
 * same in every attempt.
 *
 * <p>Any 2xx is success. After no response, 408, 429 and 5xx the message is retried until the deadline. The wait
 * doubles each time and is shortened at random by up to a half. Every other status is final. Redirects are not
 * followed. Private, loopback, link-local, multicast, unspecified and other addresses that are not public are never
 * called unless allowed: see {@link WebhookPost}. At most four attempts are in flight; messages beyond the queue's size
 * are dropped. All failures are counted, and logged without the URL's path and query. Queued messages are lost when the
 * process ends.
 */
public final class WebhookSender implements AutoCloseable {
    private static final Logger LOG = System.getLogger(WebhookSender.class.getName());
    private static final int ATTEMPTS_AT_ONCE = 4;

    private final WebhookOptions options;
    private final WebhookPost post;
    private final Clock clock;
    private final ThreadPoolExecutor workers;
    /** Starts retries and closes connections that take too long; never runs anything slow. */
    private final ScheduledThreadPoolExecutor alarms;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    WebhookSender(WebhookOptions options, WebhookPost.Resolver resolver, SSLSocketFactory tls, Clock clock) {
        this.options = options;
        this.clock = clock;
        // As many threads as there is work for, none without work; the queue is bounded by the count of messages in
        // flight.
        this.workers = new ThreadPoolExecutor(
                ATTEMPTS_AT_ONCE,
                ATTEMPTS_AT_ONCE,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads("weir-webhooks"));
        workers.allowCoreThreadTimeOut(true);
        this.alarms = new ScheduledThreadPoolExecutor(1, threads("weir-webhook-alarms"));
        alarms.setRemoveOnCancelPolicy(true);
        this.post = new WebhookPost(tls, resolver, options.allowPrivate(), alarms);
    }

    public static WebhookSender create(WebhookOptions options) {
        return new WebhookSender(
                options,
                InetAddress::getAllByName,
                (SSLSocketFactory) SSLSocketFactory.getDefault(),
                Clock.systemUTC());
    }

    /**
     * Queues a message, signed with the options' secret if there is one. Returns at once: false if the message was
     * dropped because the queue is full.
     */
    public boolean send(WebhookTarget target, CloudEvent event) {
        return send(target, event, options.secret());
    }

    /**
     * Like {@link #send(WebhookTarget, CloudEvent)}, with its own secret.
     *
     * @param secret signs the message; null leaves it unsigned
     */
    public boolean send(WebhookTarget target, CloudEvent event, @Nullable String secret) {
        if (inFlight.incrementAndGet() <= options.queue()) {
            try {
                QueuedEvent message = new QueuedEvent(
                        target,
                        event,
                        secret,
                        System.nanoTime() + options.deadline().toNanos());
                workers.execute(() -> attempt(message, 1));
                return true;
            } catch (RejectedExecutionException e) {
                // Closed: dropped like any other message.
            }
        }
        inFlight.decrementAndGet();
        dropped.increment();
        return false;
    }

    /** The number of messages that got a 2xx response. */
    public long delivered() {
        return delivered.sum();
    }

    /**
     * The number of messages that failed for good: refused by the receiver, a forbidden address, or past the deadline.
     */
    public long failed() {
        return failed.sum();
    }

    /** The number of messages dropped because the queue was full. */
    public long dropped() {
        return dropped.sum();
    }

    /** The number of messages that are queued or in flight. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Closes with a deadline of two seconds. */
    @Override
    public void close() {
        close(Duration.ofSeconds(2));
    }

    /**
     * Stops accepting messages, lets queued first attempts run until the deadline, and drops retries.
     *
     * @return whether all attempts ended
     */
    public boolean close(Duration deadline) {
        workers.shutdown();
        boolean ended = false;
        try {
            ended = workers.awaitTermination(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        workers.shutdownNow();
        // Queued retries are dropped; an attempt that is still in flight closes its connection by its own timeout.
        alarms.setExecuteExistingDelayedTasksAfterShutdownPolicy(!ended);
        alarms.shutdown();
        if (inFlight.get() > 0) {
            LOG.log(Level.WARNING, inFlight.get() + " webhook messages were not sent when closing");
        }
        return ended;
    }

    /** The value of the signature header. */
    static String signature(String secret, long epochSeconds, String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] signed = mac.doFinal((epochSeconds + "." + body).getBytes(StandardCharsets.UTF_8));
            return "t=" + epochSeconds + ",v1=" + HexFormat.of().formatHex(signed);
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every JDK has HmacSHA256", e);
        }
    }

    private void attempt(QueuedEvent message, int number) {
        try {
            int status = post.send(
                    message.target,
                    headers(message),
                    message.event.json().getBytes(StandardCharsets.UTF_8),
                    options.attemptTimeout());
            if (status >= 200 && status < 300) {
                delivered.increment();
                inFlight.decrementAndGet();
            } else if (status == 408 || status == 429 || status >= 500) {
                retry(message, number, "status " + status);
            } else {
                giveUp(message, number, "status " + status);
            }
        } catch (WebhookPost.ForbiddenAddressException e) {
            giveUp(message, number, "an address that is not public");
        } catch (IOException e) {
            retry(message, number, e.getClass().getSimpleName());
        } catch (RuntimeException e) {
            giveUp(message, number, e.getClass().getSimpleName());
        }
    }

    private Map<String, String> headers(QueuedEvent message) {
        CloudEvent event = message.event;
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/cloudevents+json; charset=utf-8");
        headers.put("User-Agent", "weir-webhook/1");
        headers.put("X-Weir-Delivery", event.id());
        String secret = message.secret;
        if (secret != null) {
            headers.put("X-Weir-Signature", signature(secret, clock.instant().getEpochSecond(), event.json()));
        }
        return headers;
    }

    private void retry(QueuedEvent message, int number, String why) {
        long waitNanos = backoffNanos(number);
        if (System.nanoTime() + waitNanos - message.endNanos >= 0) {
            giveUp(message, number, why);
            return;
        }
        try {
            ScheduledFuture<?> unused =
                    alarms.schedule(() -> again(message, number + 1), waitNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            giveUp(message, number, why);
        }
    }

    private void again(QueuedEvent message, int number) {
        try {
            workers.execute(() -> attempt(message, number));
        } catch (RejectedExecutionException e) {
            giveUp(message, number - 1, "closed");
        }
    }

    private long backoffNanos(int number) {
        long doubled = options.firstBackoff().toNanos() << Math.min(number - 1, 20);
        long longest = options.maxBackoff().toNanos();
        long bounded = doubled <= 0 || doubled > longest ? longest : doubled;
        return ThreadLocalRandom.current().nextLong(bounded / 2, bounded + 1);
    }

    private void giveUp(QueuedEvent message, int number, String why) {
        failed.increment();
        inFlight.decrementAndGet();
        LOG.log(
                Level.WARNING,
                "gave up event " + message.event.id() + " for " + message.target + " after " + number + " attempts: "
                        + why);
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** An event to be sent. */
    private record QueuedEvent(
            WebhookTarget target,
            CloudEvent event,
            @Nullable String secret,
            long endNanos) {}
}
