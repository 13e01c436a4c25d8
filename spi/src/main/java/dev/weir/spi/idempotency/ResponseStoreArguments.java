package dev.weir.spi.idempotency;

import dev.weir.DurationText;
import java.time.Duration;

/** The argument checks of every {@link ResponseStore}. */
public final class ResponseStoreArguments {
    private ResponseStoreArguments() {}

    public static void checkDigest(byte[] request) {
        if (request.length > ResponseStore.LARGEST_DIGEST) {
            throw new IllegalArgumentException("the digest of the request has " + request.length
                    + " bytes; it must have at most " + ResponseStore.LARGEST_DIGEST);
        }
    }

    public static void checkResponse(byte[] response) {
        if (response.length > ResponseStore.LARGEST_RESPONSE) {
            throw new IllegalArgumentException("the response has " + response.length + " bytes; at most "
                    + ResponseStore.LARGEST_RESPONSE + " are remembered");
        }
    }

    public static void checkTime(String name, Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(ResponseStore.LONGEST_TTL) > 0) {
            throw new IllegalArgumentException(name + " is " + DurationText.of(time)
                    + "; it must be positive and at most " + DurationText.of(ResponseStore.LONGEST_TTL));
        }
    }
}
