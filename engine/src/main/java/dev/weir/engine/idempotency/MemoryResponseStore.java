package dev.weir.engine.idempotency;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.remote.Promise;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spi.idempotency.ResponseStoreArguments;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A response store in the memory of this process.
 *
 * <p>It is bounded: when it is full, new requests fail. An old response is not evicted, since its request would then be
 * processed twice. Safe for use by any number of threads.
 */
public final class MemoryResponseStore implements ResponseStore {
    /** The approximate size of an entry without its response, in bytes. */
    private static final int ENTRY_BYTES = 300;

    private final long mostBytes;
    private final LongSupplier nanoClock;
    private final Map<Key, Entry> entries = new HashMap<>();
    private final NavigableSet<Entry> byEnd =
            new TreeSet<>(Comparator.<Entry>comparingLong(entry -> entry.endsAt).thenComparing(entry -> entry.token));
    private long bytes;

    /** A store of at most 64 MiB. */
    public MemoryResponseStore() {
        this(64 << 20, System::nanoTime);
    }

    /** @param nanoClock must not go back */
    public MemoryResponseStore(long mostBytes, LongSupplier nanoClock) {
        this.mostBytes = mostBytes;
        long origin = nanoClock.getAsLong();
        // Starts at zero, so that times can be compared.
        this.nanoClock = () -> nanoClock.getAsLong() - origin;
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
    private record Entry(Key key, String token, byte[] request, byte @Nullable [] response, long endsAt) {
        long bytes() {
            return ENTRY_BYTES + 2L * key.text().length() + (response == null ? 0 : response.length);
        }
    }

    @Override
    public synchronized Answer<BeginResult> begin(Key key, byte[] request, Duration processingTimeout) {
        ResponseStoreArguments.checkDigest(request);
        ResponseStoreArguments.checkTime("processingTimeout", processingTimeout);
        long now = forgetEnded();
        Entry known = entries.get(key);
        if (known != null) {
            return Answer.of(found(known, request));
        }
        var begun =
                new Entry(key, UUID.randomUUID().toString(), request.clone(), null, now + processingTimeout.toNanos());
        if (bytes + begun.bytes() > mostBytes) {
            return full();
        }
        remember(begun);
        return Answer.of(new BeginResult.Begun(begun.token));
    }

    @Override
    public synchronized Answer<Boolean> complete(Key key, String token, byte[] response, Duration ttl) {
        ResponseStoreArguments.checkResponse(response);
        ResponseStoreArguments.checkTime("ttl", ttl);
        long now = forgetEnded();
        Entry begun = entries.get(key);
        if (begun == null || !begun.token.equals(token) || begun.response != null) {
            return Answer.of(false);
        }
        var done = new Entry(key, token, begun.request, response.clone(), now + ttl.toNanos());
        if (bytes - begun.bytes() + done.bytes() > mostBytes) {
            return full();
        }
        forget(begun);
        remember(done);
        return Answer.of(true);
    }

    @Override
    public synchronized Answer<Boolean> abandon(Key key, String token) {
        forgetEnded();
        Entry begun = entries.get(key);
        if (begun == null || !begun.token.equals(token) || begun.response != null) {
            return Answer.of(false);
        }
        forget(begun);
        return Answer.of(true);
    }

    /** The number of requests that are stored, done or in progress. */
    public synchronized int size() {
        forgetEnded();
        return entries.size();
    }

    @Override
    public synchronized void close() {
        entries.clear();
        byEnd.clear();
        bytes = 0;
    }

    private static BeginResult found(Entry known, byte[] request) {
        if (!Arrays.equals(known.request, request)) {
            return new BeginResult.OtherRequest();
        }
        byte[] response = known.response;
        return response == null ? new BeginResult.InFlight() : new BeginResult.Done(response);
    }

    /** Removes expired entries; returns the current time. */
    private long forgetEnded() {
        long now = nanoClock.getAsLong();
        while (!byEnd.isEmpty() && byEnd.first().endsAt <= now) {
            forget(byEnd.first());
        }
        return now;
    }

    private void remember(Entry entry) {
        entries.put(entry.key, entry);
        byEnd.add(entry);
        bytes += entry.bytes();
    }

    private void forget(Entry entry) {
        entries.remove(entry.key);
        byEnd.remove(entry);
        bytes -= entry.bytes();
    }

    private <T> Answer<T> full() {
        return Promise.failed(new StoreException(
                "responses fill the " + mostBytes + " bytes that they may have; remember them for a shorter time, or"
                        + " keep them in a database",
                true,
                null));
    }
}
