package dev.weir.store.jdbc.rows;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.StoreTime;
import dev.weir.ledger.StoredHold;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes and reads the column {@code content} of a reservation or a lease. */
public final class HoldCodec {
    private static final int FORMAT = 2;

    private HoldCodec() {}

    /** The part of a hold that never changes, as bytes: a format number, then every charge with its reading. */
    public static byte[] write(StoredHold<RowCharge> hold) {
        LedgerOutcome<RowCharge> spent = hold.spent();
        List<RowCharge> charged = spent.charges();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeLong(spent.at().micros());
            out.writeLong(spent.at().wallMillis());
            out.writeInt(charged.size());
            for (int i = 0; i < charged.size(); i++) {
                Charge charge = charged.get(i).charge();
                write(out, charge.key().scope());
                out.writeInt(charge.key().values().size());
                for (String value : charge.key().values()) {
                    write(out, value);
                }
                write(out, charged.get(i).sqlPolicy().text());
                out.writeLong(charge.cost());
                Reading reading = spent.readings().get(i);
                out.writeLong(reading.remaining());
                out.writeLong(reading.resetAfter().toSeconds());
                out.writeInt(reading.resetAfter().toNanosPart());
            }
            writeResets(out, spent.resetsSeen());
        } catch (IOException e) {
            throw new AssertionError("memory is always writable", e);
        }
        return bytes.toByteArray();
    }

    /**
     * The hold that {@link #write} wrote.
     *
     * @throws IllegalArgumentException if the bytes are not those of a hold
     */
    public static StoredHold<RowCharge> read(byte[] content, long endsAt, boolean closed) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
            int format = in.readUnsignedByte();
            if (format != FORMAT) {
                throw new IllegalArgumentException(
                        "a reservation or lease has format " + format + " and this version of Weir reads " + FORMAT);
            }
            StoreTime decided = new StoreTime(in.readLong(), in.readLong());
            int count = in.readInt();
            List<RowCharge> charged = new ArrayList<>();
            List<Reading> readings = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String scope = readText(in);
                int values = in.readInt();
                List<String> parts = new ArrayList<>();
                for (int v = 0; v < values; v++) {
                    parts.add(readText(in));
                }
                SqlPolicy sqlPolicy = SqlPolicy.of(readText(in));
                Key key = Key.of(scope, parts);
                charged.add(
                        new RowCharge(new Charge(key, sqlPolicy.policy(), in.readLong()), RowKey.of(key), sqlPolicy));
                readings.add(new Reading.Admitted(
                        in.readLong(), Duration.ofSeconds(in.readLong()).plusNanos(in.readInt())));
            }
            long[] resetsSeen = new long[count];
            int seen = in.readInt();
            for (int i = 0; i < seen; i++) {
                resetsSeen[i] = in.readInt();
            }
            LedgerOutcome<RowCharge> spent = new LedgerOutcome<>(
                    List.copyOf(charged), List.copyOf(readings), LedgerOutcome.Kind.SPENT, decided, resetsSeen);
            return new StoredHold<>(spent, endsAt, closed);
        } catch (IOException e) {
            throw new IllegalArgumentException("a reservation or lease is damaged: its row was not written by Weir", e);
        }
    }

    /** Writes nothing if all numbers are 0, the usual case. */
    private static void writeResets(DataOutputStream out, long[] resetsSeen) throws IOException {
        boolean any = Arrays.stream(resetsSeen).anyMatch(seen -> seen > 0);
        out.writeInt(any ? resetsSeen.length : 0);
        for (int i = 0; any && i < resetsSeen.length; i++) {
            out.writeInt(Math.toIntExact(resetsSeen[i]));
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
