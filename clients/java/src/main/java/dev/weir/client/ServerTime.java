package dev.weir.client;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The time by the server's own clock when it sent a response. What it says about later is measured from there, so that a
 * clock here that is wrong makes no wait too short.
 *
 * @param epochSeconds by its {@code Date}, or by the clock here if it has none
 */
record ServerTime(long epochSeconds) {
    /** The three forms of an HTTP date (RFC 9110); the last two are obsolete, and still to be understood. */
    private static final List<DateTimeFormatter> FORMS = List.of(
            DateTimeFormatter.RFC_1123_DATE_TIME,
            new DateTimeFormatterBuilder()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, LocalDate.of(1990, 1, 1))
                    .appendPattern(" HH:mm:ss zzz")
                    .toFormatter(Locale.ENGLISH),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH)
                    .withZone(ZoneOffset.UTC));

    static ServerTime of(HttpHeaders headers, long nowMillis) {
        Instant date = date(headers.firstValue("Date").orElse(""));
        return new ServerTime(date == null ? Math.floorDiv(nowMillis, 1000L) : date.getEpochSecond());
    }

    /** How long until then; nothing if it is past. */
    Duration until(long thenEpochSeconds) {
        return Duration.ofSeconds(Math.max(0, thenEpochSeconds - epochSeconds));
    }

    /** What {@code Retry-After} says: seconds or a date; null if it says nothing. */
    @Nullable
    Duration retryAfter(HttpHeaders headers) {
        Long seconds = Numbers.whole(headers.firstValue("Retry-After"));
        if (seconds != null) {
            return Duration.ofSeconds(seconds);
        }
        Instant date = date(headers.firstValue("Retry-After").orElse(""));
        return date == null ? null : until(date.getEpochSecond());
    }

    private static @Nullable Instant date(String text) {
        for (DateTimeFormatter form : FORMS) {
            try {
                return ZonedDateTime.parse(text.trim(), form).toInstant();
            } catch (DateTimeException e) {
                // Another form, or none.
            }
        }
        return null;
    }
}
