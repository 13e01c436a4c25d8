package dev.weir.http.retry;

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
 * The server's clock when it sent a response. Times in the response are measured from it, so that a wrong local clock
 * makes no wait too short.
 *
 * @param epochSeconds the response's {@code Date}, or the local clock if it has none
 */
record ServerTime(long epochSeconds) {
    /** The three formats of an HTTP date (RFC 9110); the last two are obsolete but must be accepted. */
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

    /** Returns how long until then; zero if it is past. */
    Duration until(long thenEpochSeconds) {
        return Duration.ofSeconds(Math.max(0, thenEpochSeconds - epochSeconds));
    }

    /** Parses {@code Retry-After}: seconds or a date; returns null if it is missing or malformed. */
    @Nullable
    Duration retryAfter(HttpHeaders headers) {
        Long seconds = HeaderNumbers.whole(headers.firstValue("Retry-After"));
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
                // Not this format.
            }
        }
        return null;
    }
}
