package dev.weir.engine.event;

import dev.weir.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of webhooks.
 *
 * @param secret signs every message; null leaves them unsigned
 * @param allowPrivate whether private, loopback and other addresses that are not public may be called
 * @param queue the most messages that are queued or in flight; further ones are dropped and counted
 * @param attemptTimeout how long one attempt may take, from connecting to the first line of the response (name lookups
 *     have the system's own timeout)
 * @param firstBackoff the approximate wait before the second attempt; doubles each time
 * @param maxBackoff the longest wait between attempts
 * @param deadline how long a message is retried
 */
public record WebhookOptions(
        @Nullable String secret,
        boolean allowPrivate,
        int queue,
        Duration attemptTimeout,
        Duration firstBackoff,
        Duration maxBackoff,
        Duration deadline) {

    public WebhookOptions {
        if (queue < 1) {
            throw new IllegalArgumentException("queue is " + queue + "; it must be at least 1");
        }
        if (secret != null && secret.isEmpty()) {
            throw new IllegalArgumentException("the webhook secret is empty; leave it out to send without signature");
        }
        positive("attempt timeout", attemptTimeout);
        positive("first backoff", firstBackoff);
        positive("longest backoff", maxBackoff);
        positive("deadline", deadline);
    }

    /** Public addresses only, 256 messages, 5 s per attempt, backoff from 1 s to 1 min, retried for 10 min. */
    public static WebhookOptions defaults() {
        return new WebhookOptions(
                null,
                false,
                256,
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(10));
    }

    public WebhookOptions withSecret(String newSecret) {
        return new WebhookOptions(newSecret, allowPrivate, queue, attemptTimeout, firstBackoff, maxBackoff, deadline);
    }

    public WebhookOptions withPrivateAllowed() {
        return new WebhookOptions(secret, true, queue, attemptTimeout, firstBackoff, maxBackoff, deadline);
    }

    /** Does not contain the secret. */
    @Override
    public String toString() {
        return "WebhookOptions[signed=" + (secret != null) + ", allowPrivate=" + allowPrivate + ", queue=" + queue
                + "]";
    }

    private static void positive(String what, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(what + " is " + DurationText.of(duration) + "; it must be positive");
        }
    }
}
