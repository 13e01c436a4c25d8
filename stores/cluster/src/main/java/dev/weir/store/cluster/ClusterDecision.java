package dev.weir.store.cluster;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A decision that the book made. */
final class ClusterDecision implements Decision {
    private final ClusterStore store;
    private final List<Charge> charges;
    private final List<Reading> readings;
    private final boolean admitted;
    private final Moment moment;
    private final long resetsSeen;
    private final @Nullable String reservation;
    /** Whether what was spent can still be given back. */
    private final AtomicBoolean refundable;

    ClusterDecision(
            ClusterStore store,
            List<Charge> charges,
            List<Reading> readings,
            boolean admitted,
            boolean spent,
            Moment moment,
            long resetsSeen,
            @Nullable String reservation) {
        this.store = store;
        this.charges = charges;
        this.readings = readings;
        this.admitted = admitted;
        this.moment = moment;
        this.resetsSeen = resetsSeen;
        this.reservation = reservation;
        this.refundable = new AtomicBoolean(spent);
    }

    boolean isOf(ClusterStore other) {
        return store == other;
    }

    Moment moment() {
        return moment;
    }

    /** How many resets there were before it. */
    long resetsSeen() {
        return resetsSeen;
    }

    /** The reservation that it belongs to, if any. */
    @Nullable
    String reservation() {
        return reservation;
    }

    /** True for the first who asks, if anything was spent. */
    boolean refundOnce() {
        return refundable.compareAndSet(true, false);
    }

    @Override
    public boolean admitted() {
        return admitted;
    }

    @Override
    public List<Charge> charges() {
        return charges;
    }

    @Override
    public Reading reading(int index) {
        return readings.get(index);
    }

    @Override
    public long time() {
        return moment.micros();
    }
}
