package dev.weir.server.dashboard;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * What the dashboard has recorded, as it is written to a file: series by name, and notable events. Compressed, with a
 * checksum. Not thread-safe.
 */
final class SavedHistory {
    private static final long FORMAT = 0x57454952_00000001L;
    /** More than the dashboard ever has: three ranges of 50 limits, an hour of each limit and its reasons. */
    private static final int MOST_SERIES = 5000;

    private static final int MOST_EVENTS = 1000;
    private static final int LONGEST_EVENT = 64 * 1024;

    final long recordedSince;
    final Map<String, RollingCounts> series = new LinkedHashMap<>();
    final List<String> events = new ArrayList<>();
    long lastNumber;

    /** @param recordedSince when recording began, in seconds since 1970 */
    SavedHistory(long recordedSince) {
        this.recordedSince = recordedSince;
    }

    /** Adds a copy of a series; later changes of the original are not written. */
    void add(String name, RollingCounts counts) {
        if (series.size() < MOST_SERIES) {
            series.put(name, counts.copy());
        }
    }

    void addEvent(String json) {
        if (events.size() < MOST_EVENTS && json.length() <= LONGEST_EVENT) {
            events.add(json);
        }
    }

    byte[] bytes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(bytes))) {
            out.writeLong(FORMAT);
            out.writeLong(recordedSince);
            out.writeLong(lastNumber);
            out.writeInt(series.size());
            for (Map.Entry<String, RollingCounts> entry : series.entrySet()) {
                out.writeUTF(entry.getKey());
                entry.getValue().write(out);
            }
            out.writeInt(events.size());
            for (String event : events) {
                byte[] text = event.getBytes(StandardCharsets.UTF_8);
                out.writeInt(text.length);
                out.write(text);
            }
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #bytes} has written.
     *
     * @throws IOException if it is damaged, or of another version
     */
    static SavedHistory read(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new GZIPInputStream(new ByteArrayInputStream(bytes)))) {
            if (in.readLong() != FORMAT) {
                throw new IOException("it is of another version");
            }
            SavedHistory saved = new SavedHistory(in.readLong());
            saved.lastNumber = in.readLong();
            for (int left = count(in, MOST_SERIES); left > 0; left--) {
                saved.series.put(in.readUTF(), RollingCounts.read(in));
            }
            for (int left = count(in, MOST_EVENTS); left > 0; left--) {
                saved.events.add(new String(in.readNBytes(count(in, 4 * LONGEST_EVENT)), StandardCharsets.UTF_8));
            }
            // The end of the stream has the checksum.
            if (in.read() >= 0) {
                throw new IOException("it is longer than it should be");
            }
            return saved;
        }
    }

    private static int count(DataInputStream in, int most) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > most) {
            throw new IOException("it has a count of " + count);
        }
        return count;
    }
}
