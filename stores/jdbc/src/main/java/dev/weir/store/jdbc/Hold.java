package dev.weir.store.jdbc;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.Store;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A reservation or a lease: what was decided, and until when it is held.
 *
 * @param charged what it holds
 * @param readings what its decision told
 * @param decided when it was decided
 * @param resetsSeen what its decision has seen of resets at that very time
 * @param endsAt when it ends, in microseconds
 * @param closed whether it was settled, cancelled or refunded
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
record Hold(
        List<Asked> charged,
        List<Reading> readings,
        JdbcDecision.Moment decided,
        int[] resetsSeen,
        long endsAt,
        boolean closed) {
    private static final int FORMAT = 2;
    private static final long CLOSED_MICROS = Store.CLOSED_TTL.toNanos() / 1_000;

    static Hold of(JdbcDecision decision, long endsAt) {
        return new Hold(decision.asked(), decision.readings(), decision.moment(), decision.resetsSeen(), endsAt, false);
    }

    boolean isHeld(long nowMicros) {
        return nowMicros < endsAt;
    }

    Hold until(long newEnd) {
        return new Hold(charged, readings, decided, resetsSeen, newEnd, closed);
    }

    /** Closed, and remembered a while longer, so that its id is recognised. */
    Hold close(long nowMicros) {
        return new Hold(charged, readings, decided, resetsSeen, Math.min(endsAt, nowMicros + CLOSED_MICROS), true);
    }

    JdbcDecision decision(Object store, String reservation) {
        return new JdbcDecision(store, charged, readings, true, true, decided, reservation).havingSeen(resetsSeen);
    }

    /** All but what changes, as bytes: a format number, then every charge with its reading. */
    byte[] content() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeLong(decided.micros());
            out.writeLong(decided.wallMillis());
            out.writeInt(charged.size());
            for (int i = 0; i < charged.size(); i++) {
                Charge charge = charged.get(i).charge();
                write(out, charge.key().scope());
                out.writeInt(charge.key().values().size());
                for (String value : charge.key().values()) {
                    write(out, value);
                }
                write(out, charged.get(i).terms().text());
                out.writeLong(charge.cost());
                out.writeLong(readings.get(i).remaining());
                out.writeLong(readings.get(i).resetAfter().toSeconds());
                out.writeInt(readings.get(i).resetAfter().toNanosPart());
            }
            out.writeInt(resetsSeen.length);
            for (int seen : resetsSeen) {
                out.writeInt(seen);
            }
        } catch (IOException e) {
            throw new AssertionError("memory is always writable", e);
        }
        return bytes.toByteArray();
    }

    /**
     * The hold whose {@link #content()} this is.
     *
     * @throws IllegalArgumentException if it is none's
     */
    static Hold of(byte[] content, long endsAt, boolean closed) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
            int format = in.readUnsignedByte();
            if (format != FORMAT) {
                throw new IllegalArgumentException(
                        "a reservation or lease has format " + format + " and this version of Weir reads " + FORMAT);
            }
            JdbcDecision.Moment decided = new JdbcDecision.Moment(in.readLong(), in.readLong());
            int count = in.readInt();
            List<Asked> charged = new ArrayList<>();
            List<Reading> readings = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String scope = readText(in);
                int values = in.readInt();
                List<String> parts = new ArrayList<>();
                for (int v = 0; v < values; v++) {
                    parts.add(readText(in));
                }
                Terms terms = Terms.of(readText(in));
                Key key = Key.of(scope, parts);
                charged.add(new Asked(new Charge(key, terms.policy(), in.readLong()), RowKey.of(key), terms));
                readings.add(new Reading.Admitted(
                        in.readLong(), Duration.ofSeconds(in.readLong()).plusNanos(in.readInt())));
            }
            int[] resetsSeen = new int[in.readInt()];
            for (int i = 0; i < resetsSeen.length; i++) {
                resetsSeen[i] = in.readInt();
            }
            return new Hold(List.copyOf(charged), List.copyOf(readings), decided, resetsSeen, endsAt, closed);
        } catch (IOException e) {
            throw new IllegalArgumentException("a reservation or lease is torn: its row was not written by Weir", e);
        }
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        out.writeInt(text.length());
        out.writeChars(text);
    }

    private static String readText(DataInputStream in) throws IOException {
        char[] text = new char[in.readInt()];
        for (int i = 0; i < text.length; i++) {
            text[i] = in.readChar();
        }
        return new String(text);
    }
}
