package dev.weir.store.scripted;

import dev.weir.Reading;
import dev.weir.StoreException;
import java.util.List;
import java.util.regex.Pattern;

/** The script's answer to one question. */
sealed interface Reply {

    /**
     * How the charges find their budgets: all spent, or nothing.
     *
     * @param resetsSeen by charge, how many resets of its key came before at that very time; empty if none did
     */
    record Read(Moment moment, List<Reading> readings, List<Integer> resetsSeen) implements Reply {
        Read(Moment moment, List<Reading> readings) {
            this(moment, readings, List.of());
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

    /** What came of the other questions. */
    record Code(int number) implements Reply {}

    /**
     * A reservation, new or found.
     *
     * @param reservedAt its time; 0 if there is none
     */
    record Reserved(long reservedAt, Read read) implements Reply {}

    /** The reservation under this id was made for other keys. */
    record OtherKeys() implements Reply {}

    /** A lease; {@code before} if it was held already. */
    record Leased(boolean before, Read read) implements Reply {}

    /** When a policy was first met. */
    record Met(long micros) implements Reply {}

    /** The reservation holds nothing for this scope. */
    record NotReserved(String scope) implements Reply {}

    /** Nothing was done: more must be known about this policy, at this moment. */
    // Never compared: the bytes are the script's own answer.
    @SuppressWarnings("ArrayRecordComponent")
    record Unexplained(Moment moment, byte[] policy) implements Reply {}

    /** Nothing was done: something is wrong with what is kept, or with the backend. */
    record Wrong(String message) implements Reply {
        /** What a backend puts before its own errors, such as OOM or READONLY. */
        private static final Pattern CODE = Pattern.compile("[A-Z]{2,} .*", Pattern.DOTALL);

        /** A value that cannot be read concerns the keys of this question; an error of the backend, all. */
        StoreException failure(String name) {
            String text = name + ": " + message;
            boolean isValue = message.startsWith("WEIR ")
                    || message.startsWith("WRONGTYPE ")
                    || !CODE.matcher(message).matches();
            return isValue ? StoreException.damaged(text, null) : new StoreException(text, true, null);
        }
    }
}
