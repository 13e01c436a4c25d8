package dev.weir.http.retry;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses numbers in headers, which may have any value. */
final class HeaderNumbers {
    private static final int MOST_DIGITS = 15;

    private HeaderNumbers() {}

    /** Returns a whole number that is not negative; null for anything else. */
    static @Nullable Long whole(Optional<String> header) {
        String text = header.map(String::trim).orElse("");
        boolean isNumber =
                !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Long.valueOf(text) : null;
    }
}
