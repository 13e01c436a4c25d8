package dev.weir.store.raft;

/**
 * One place in the log.
 *
 * @param micros the cluster's time when its leader wrote it; never less than that of the entry before
 * @param wallMillis what that leader's wall clock showed
 * @param durable whether it must be on disk before a node says that it has it
 * @param body what is to be applied; empty for the entry with which every leader begins
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
public record Entry(long index, long term, long micros, long wallMillis, boolean durable, byte[] body) {

    /** What an entry takes in memory and on disk beside its body, roughly. */
    static final int OVERHEAD = 48;

    int size() {
        return body.length + OVERHEAD;
    }

    void write(BytesOut out) {
        out.number(index);
        out.number(term);
        out.number(micros);
        out.number(wallMillis);
        out.flag(durable);
        out.bytes(body);
    }

    static Entry read(BytesIn in) {
        return new Entry(in.number(), in.number(), in.number(), in.number(), in.flag(), in.bytes());
    }
}
