package dev.weir.store.scripted;

import java.nio.charset.StandardCharsets;

/**
 * The time that a call passes to the script.
 *
 * <p>In production a call passes none, because the script reads the backend's clock. Only calendar windows need an
 * estimate of that clock before the call; if the estimate was wrong, the request is repeated with the right window.
 * Safe for use by several threads.
 */
public interface ScriptClock {
    /** The script's arguments: the encoded requests and, in a test, the time. */
    byte[][] after(byte[] asked);

    /** An estimate of the backend's wall clock, in milliseconds since 1970. */
    long wallMillis();

    /** Updates the estimate with the backend's wall clock at a call, in milliseconds since 1970. */
    void observe(long wallMillis);

    /** A clock that assumes the same offset between the backend's clock and the local one as in the last call. */
    static ScriptClock running() {
        return new ScriptClock() {
            private volatile long ahead;

            @Override
            public byte[][] after(byte[] asked) {
                return new byte[][] {asked};
            }

            @Override
            public long wallMillis() {
                return System.currentTimeMillis() + ahead;
            }

            @Override
            public void observe(long wallMillis) {
                long seen = wallMillis - System.currentTimeMillis();
                // Writes only on a change: many threads read the field.
                if (Math.abs(seen - ahead) > 5) {
                    ahead = seen;
                }
            }
        };
    }

    /** The encoding of a time that a test passes to the script, both in microseconds. */
    static byte[] given(long micros, long wallMicros) {
        return (micros + " " + wallMicros).getBytes(StandardCharsets.US_ASCII);
    }
}
