package dev.weir.cli.log;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Arrays;

/**
 * Parser for the time of the common log format, {@code 01/Nov/2026:10:00:00 +0100}. Consecutive lines mostly have the
 * same day and zone, and often the same second: what is equal to the line before is not parsed again. For one thread.
 */
final class CommonLogTime {
    /** The number of bytes of a time. */
    static final int LENGTH = 26;

    /** The result for bytes that are no time. */
    static final long NONE = Long.MIN_VALUE;

    private static final int DAY_LENGTH = 11;
    private static final int ZONE_START = 20;
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

    private final byte[] last = new byte[LENGTH];
    private long lastMicros = NONE;
    private long lastDaySeconds;

    /** The time in the {@link #LENGTH} bytes from this index, in microseconds since 1970. */
    long micros(byte[] bytes, int from) {
        if (lastMicros != NONE && Arrays.equals(bytes, from, from + LENGTH, last, 0, LENGTH)) {
            return lastMicros;
        }
        boolean sameDay = lastMicros != NONE
                && Arrays.equals(bytes, from, from + DAY_LENGTH, last, 0, DAY_LENGTH)
                && Arrays.equals(bytes, from + ZONE_START, from + LENGTH, last, ZONE_START, LENGTH);
        long daySeconds = sameDay ? lastDaySeconds : daySeconds(bytes, from);
        int hour = twoDigits(bytes, from + 12);
        int minute = twoDigits(bytes, from + 15);
        int second = twoDigits(bytes, from + 18);
        if (daySeconds == NONE
                || bytes[from + 11] != ':'
                || bytes[from + 14] != ':'
                || bytes[from + 17] != ':'
                || hour > 23
                || minute > 59
                || second > 60
                || (hour | minute | second) < 0) {
            return NONE;
        }
        System.arraycopy(bytes, from, last, 0, LENGTH);
        lastDaySeconds = daySeconds;
        lastMicros = (daySeconds + hour * 3_600L + minute * 60L + second) * 1_000_000;
        return lastMicros;
    }

    /** The begin of the day in seconds since 1970, with the zone subtracted. */
    private static long daySeconds(byte[] bytes, int from) {
        int day = twoDigits(bytes, from);
        int month = month(bytes, from + 3);
        int year = twoDigits(bytes, from + 7) * 100 + twoDigits(bytes, from + 9);
        int zoneHours = twoDigits(bytes, from + 22);
        int zoneMinutes = twoDigits(bytes, from + 24);
        byte sign = bytes[from + 21];
        if (bytes[from + 2] != '/'
                || bytes[from + 6] != '/'
                || bytes[from + ZONE_START] != ' '
                || (sign != '+' && sign != '-')
                || (day | month | year | zoneHours | zoneMinutes) < 0
                || zoneHours > 18
                || zoneMinutes > 59) {
            return NONE;
        }
        try {
            long zone = (zoneHours * 60L + zoneMinutes) * 60;
            return LocalDate.of(year, month, day).toEpochDay() * 86_400 - (sign == '+' ? zone : -zone);
        } catch (DateTimeException e) {
            return NONE;
        }
    }

    /** The number of a month from 1; negative if it is none. */
    private static int month(byte[] bytes, int from) {
        for (int month = 0; month < 12; month++) {
            if (bytes[from] == MONTHS.charAt(month * 3)
                    && bytes[from + 1] == MONTHS.charAt(month * 3 + 1)
                    && bytes[from + 2] == MONTHS.charAt(month * 3 + 2)) {
                return month + 1;
            }
        }
        return -1;
    }

    /** A number of two digits; negative if they are none. */
    private static int twoDigits(byte[] bytes, int from) {
        int tens = bytes[from] - '0';
        int ones = bytes[from + 1] - '0';
        return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
    }
}
