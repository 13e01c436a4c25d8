package dev.weir.store.scripted;

import java.nio.charset.StandardCharsets;

/**
 * What a call says about the time.
 *
 * <p>In production nothing: the script has a clock of its own. Only calendars need an idea of it beforehand, and are corrected when
 * it was wrong.
 */
public interface ScriptClock {
    /** The script's arguments: what is asked, and in a test its own time. */
    byte[][] after(byte[] asked);

    /** About what the wall shows where the script runs, in milliseconds since 1970. */
    long wallMillis();

    /** Hears what the wall showed when a call was made. */
    void saw(long wallMillis);

    /** The script's own clock, as far off ours as it was in the last call. */
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
            public void saw(long wallMillis) {
                long seen = wallMillis - System.currentTimeMillis();
                // Written seldom: many threads read it.
                if (Math.abs(seen - ahead) > 5) {
                    ahead = seen;
                }
            }
        };
    }

    /** A time as the script takes it from a test. */
    static byte[] given(long micros, long wallMicros) {
        return (micros + " " + wallMicros).getBytes(StandardCharsets.US_ASCII);
    }
}
