package dev.weir.store.cluster;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.ledger.Moment;
import dev.weir.memory.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A log of one node: applies each batch at once, and by turns through a snapshot or twice, which must change nothing. */
final class SoloLog implements Clerk.Log {
    private final TimeSource clock;
    private final long begin;
    private Book book = newBook(Book.MOST_BUDGETS);
    private long lastNanos;
    private long nanos;
    private int count;

    SoloLog(TimeSource clock) {
        this.clock = clock;
        this.lastNanos = clock.nanos();
        this.begin = clock.epochMillis() * 1_000;
    }

    static Book newBook(int mostBudgets) {
        return new Book(mostBudgets, new SettingsBook(new JsonSettingsFormat()));
    }

    @Override
    public synchronized CompletionStage<byte[]> submit(byte[] batch, boolean durable) {
        long raw = clock.nanos();
        nanos += Math.max(0, raw - lastNanos);
        lastNanos = raw;
        Moment now = new Moment(begin + nanos / 1_000, clock.epochMillis());
        count++;
        if (count % 7 == 0) {
            Book copy = newBook(Book.MOST_BUDGETS);
            BookSnapshot.read(BookSnapshot.write(book), copy);
            book = copy;
        }
        byte[] reply = book.apply(batch, now);
        if (count % 3 == 0) {
            reply = book.apply(batch, now);
        }
        return CompletableFuture.completedFuture(reply);
    }
}
