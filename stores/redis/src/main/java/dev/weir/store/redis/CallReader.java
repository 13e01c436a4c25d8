package dev.weir.store.redis;

import dev.weir.Reading;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Takes the answers of one call apart; {@code 1-call.lua} and {@code 11-answer.lua} tell the form. */
final class CallReader {
    private static final int LIMB = 10_000_000;
    private static final int WIDE = 128;

    private final byte[] bytes;
    private final boolean written;
    private final Moment moment;
    private int at;

    CallReader(byte[] bytes) {
        this.bytes = bytes;
        this.written = number(1) != 0;
        // Below zero before 1970, which only a test's wall shows.
        this.moment = new Moment(number(7), number(6) << 16 >> 16);
    }

    /** Whether the call changed anything. */
    boolean written() {
        return written;
    }

    Moment moment() {
        return moment;
    }

    List<Reply> replies(List<Question> questions) {
        List<Reply> replies = new ArrayList<>(questions.size());
        for (int i = 0; i < questions.size(); i++) {
            replies.add(reply(questions.get(i).charges()));
        }
        return replies;
    }

    private Reply reply(List<Priced> charges) {
        int kind = (int) number(1);
        return switch (kind) {
            case 1 -> read(charges);
            case 2 -> new Reply.Code((int) number(1));
            case 3 -> new Reply.Reserved(number(7), read(charges));
            case 4 -> new Reply.Leased(number(1) == 1, read(charges));
            case 5 -> new Reply.Met(number(7));
            case 6 -> new Reply.NotReserved(text());
            case 7 -> new Reply.Unexplained(moment, framed());
            case 8 -> new Reply.Wrong(text());
            default -> throw new IllegalStateException("the script gave an answer of kind " + kind);
        };
    }

    private Reply.Read read(List<Priced> charges) {
        if (charges.size() == 1) {
            return new Reply.Read(moment, List.of(reading(charges.get(0))));
        }
        List<Reading> readings = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            readings.add(reading(charges.get(i)));
        }
        return new Reply.Read(moment, readings);
    }

    private Reading reading(Priced charge) {
        int status = (int) number(1);
        long remaining = number(7);
        Duration retry = status < WIDE ? duration(number(7)) : duration(limbs());
        Duration reset = status < WIDE ? duration(number(7)) : duration(limbs());
        return switch (status & (WIDE - 1)) {
            case 0 -> new Reading.Admitted(remaining, reset);
            case 1 -> new Reading.Fits(remaining, reset);
            case 2 -> new Reading.Refused(remaining, retry, reset);
            case 3 -> new Reading.Impossible(remaining, charge.charge().policy().capacity(), reset);
            default -> throw new IllegalStateException("the script gave a reading of status " + status);
        };
    }

    private long limbs() {
        long high = number(3);
        long middle = number(3);
        return (high * LIMB + middle) * LIMB + number(3);
    }

    private static Duration duration(long micros) {
        return micros == 0
                ? Duration.ZERO
                : Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
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
