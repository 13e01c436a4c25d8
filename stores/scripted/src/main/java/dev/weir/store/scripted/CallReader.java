package dev.weir.store.scripted;

import dev.weir.Reading;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the replies of one call; {@code call.lua} and {@code answer.lua} define the format.
 *
 * <p>Not safe for use by several threads.
 */
final class CallReader {
    private static final int MARKED = 64;
    private static final int SECONDS = 32;
    private static final int MILLIS = 16;
    private static final int RUN = 9;
    private static final int RUN_READ = 10;

    private final byte[] bytes;
    private final ScriptTime scriptTime;
    private int at;

    CallReader(byte[] bytes) {
        this.bytes = bytes;
        // Skips the byte that says whether anything was written.
        this.at = 1;
        // Sign-extends: a test's wall clock may be before 1970.
        this.scriptTime = new ScriptTime(number(7), number(6) << 16 >> 16);
    }

    ScriptTime scriptTime() {
        return scriptTime;
    }

    /**
     * The replies in the order of the requests.
     *
     * @param entries the entries of the call, in their order
     * @param entryOf by request, the number of its entry
     */
    List<Reply> replies(List<CallWriter.Entry> entries, int[] entryOf) {
        EntryAnswers[] answered = new EntryAnswers[entries.size()];
        for (int i = 0; i < answered.length; i++) {
            answered[i] = answered(entries.get(i).request().charges());
        }
        Reply[] replies = new Reply[entryOf.length];
        for (int i = 0; i < replies.length; i++) {
            replies[i] = answered[entryOf[i]].next();
        }
        return Arrays.asList(replies);
    }

    /** The replies of one entry. Each request of a run takes the next reply, in the order of the requests. */
    private interface EntryAnswers {
        Reply next();
    }

    private EntryAnswers answered(List<ScriptCharge> charges) {
        int kind = (int) number(1);
        if (kind == RUN) {
            return new Run(charges.get(0), number(7), (int) number(2));
        }
        if (kind == RUN_READ) {
            Deque<Reply> each = new ArrayDeque<>();
            for (int left = (int) number(2); left > 0; left--) {
                each.add(read(charges));
            }
            return each::remove;
        }
        Reply reply = reply(kind, charges);
        return () -> reply;
    }

    /** The replies of a run on one bucket: admitted requests spend one after another, all others share one refusal. */
    private final class Run implements EntryAnswers {
        private final long cost;
        private final PolicyModel model;
        /** The bucket's state after the replies so far. No time passes within a call. */
        private final Ledger bucket;

        private int admitted;
        private @Nullable Reply refused;

        private Run(ScriptCharge charge, long deficit, int admitted) {
            this.cost = charge.amount();
            this.model = Objects.requireNonNull(charge.policy().plain());
            this.bucket = model.resume(deficit, 0);
            this.admitted = admitted;
        }

        @Override
        public Reply next() {
            if (admitted > 0) {
                admitted--;
                bucket.spend(cost, 0);
                return read(true);
            }
            Reply told = refused;
            if (told == null) {
                told = read(false);
                refused = told;
            }
            return told;
        }

        private Reply read(boolean spent) {
            return new Reply.Read(scriptTime, List.of(model.read(bucket, spent, cost, 0)));
        }
    }

    private Reply reply(int kind, List<ScriptCharge> charges) {
        return switch (kind) {
            case 1 -> read(charges);
            case 2 -> new Reply.OutcomeCode((int) number(1));
            case 3 -> new Reply.Reserved(number(7), read(charges));
            case 4 -> new Reply.Leased(number(1) == 1, read(charges));
            case 5 -> new Reply.FirstSeen(number(7));
            case 6 -> new Reply.NotReserved(text());
            case 7 -> new Reply.MissingPolicies(scriptTime, framed());
            case 8 -> new Reply.Wrong(KeyNames.redacted(text()));
            case 11 -> new Reply.OtherKeys();
            default -> throw new IllegalStateException("the script returned a result of kind " + kind);
        };
    }

    private Reply.Read read(List<ScriptCharge> charges) {
        if (charges.size() == 1) {
            boolean isMarked = (bytes[at] & MARKED) != 0;
            List<Reading> single = List.of(reading(charges.get(0)));
            return new Reply.Read(scriptTime, single, isMarked ? List.of((int) number(2)) : List.of());
        }
        Reading[] readings = new Reading[charges.size()];
        Integer[] seen = new Integer[charges.size()];
        boolean isAnyMarked = false;
        for (int i = 0; i < readings.length; i++) {
            boolean isMarked = (bytes[at] & MARKED) != 0;
            readings[i] = reading(charges.get(i));
            seen[i] = isMarked ? (int) number(2) : 0;
            isAnyMarked |= isMarked;
        }
        return new Reply.Read(scriptTime, List.of(readings), isAnyMarked ? List.of(seen) : List.of());
    }

    private Reading reading(ScriptCharge charge) {
        int status = (int) number(1);
        long remaining = number(7);
        Resolution resolution = resolution(status);
        Duration retry = resolution.toDuration(number(7));
        Duration reset = resolution.toDuration(number(7));
        return switch (status & (MILLIS - 1)) {
            case 0 -> new Reading.Admitted(remaining, reset);
            case 1 -> new Reading.Fits(remaining, reset);
            case 2 -> new Reading.Refused(remaining, retry, reset);
            case 3 -> new Reading.Impossible(remaining, charge.charge().policy().capacity(), reset);
            default -> throw new IllegalStateException("the script returned a reading of status " + status);
        };
    }

    /** The unit of a reading's times. */
    private static Resolution resolution(int status) {
        if ((status & SECONDS) != 0) {
            return Resolution.SECONDS;
        }
        return (status & MILLIS) == 0 ? Resolution.MICROS : Resolution.MILLIS;
    }

    private String text() {
        return new String(framed(), StandardCharsets.UTF_8);
    }

    private byte[] framed() {
        int length = (int) number(2);
        byte[] part = Bytes.copy(bytes, at, length);
        at += length;
        return part;
    }

    private long number(int width) {
        long value = Bytes.read(bytes, at, width);
        at += width;
        return value;
    }
}
