package dev.weir.store.scripted;

import dev.weir.Reading;
import dev.weir.StoreException;
import java.util.List;
import java.util.regex.Pattern;

/** The script's reply to one request. */
sealed interface Reply {

    /**
     * The readings of a request's charges, of which all were spent or none.
     *
     * @param resetsSeen by charge, the number of resets of its key at the same microsecond before it; empty if there
     *     were none
     */
    record Read(ScriptTime scriptTime, List<Reading> readings, List<Integer> resetsSeen) implements Reply {
        Read(ScriptTime scriptTime, List<Reading> readings) {
            this(scriptTime, readings, List.of());
        }

        boolean admitted() {
            for (int i = 0; i < readings.size(); i++) {
                Reading reading = readings.get(i);
                if (reading instanceof Reading.Refused || reading instanceof Reading.Impossible) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The outcome of a request without readings; {@code answer.lua} defines the numbers. */
    record OutcomeCode(int number) implements Reply {}

    /**
     * A new or an existing reservation.
     *
     * @param reservedAt its creation time in microseconds since 1970; 0 if there is no reservation
     */
    record Reserved(long reservedAt, Read read) implements Reply {}

    /** The reservation under this id was made for other keys. */
    record OtherKeys() implements Reply {}

    /** A lease; {@code before} if it was held already. */
    record Leased(boolean before, Read read) implements Reply {}

    /** When the store first saw a policy, in microseconds since 1970. */
    record FirstSeen(long micros) implements Reply {}

    /** The reservation holds nothing for this scope. */
    record NotReserved(String scope) implements Reply {}

    /** The script changed nothing, because it needs more data about this policy at this time. */
    // Never compared: the bytes come from the script.
    @SuppressWarnings("ArrayRecordComponent")
    record MissingPolicies(ScriptTime scriptTime, byte[] policy) implements Reply {}

    /** The script changed nothing, because a stored value is damaged or the backend failed. */
    record Wrong(String message) implements Reply {
        /** The code that begins an error of the backend itself, such as OOM or READONLY. */
        private static final Pattern CODE = Pattern.compile("[A-Z]{2,} .*", Pattern.DOTALL);

        /**
         * The exception for callers. A damaged value affects the keys of this request only; an error of the backend,
         * all.
         */
        StoreException failure(String name) {
            String text = name + ": " + message;
            boolean isValue = message.startsWith("WEIR ")
                    || message.startsWith("WRONGTYPE ")
                    || !CODE.matcher(message).matches();
            return isValue ? StoreException.damaged(text, null) : new StoreException(text, true, null);
        }
    }
}
