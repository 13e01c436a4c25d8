package dev.weir.store.scripted;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A decision of the script. It has several parts only on a partitioned backend, one for each call.
 *
 * <p>Safe for use by several threads.
 */
final class ScriptedDecision implements Decision {
    private final ScriptedStore store;
    private final List<Charge> charges;
    private final List<Reading> readings;
    private final boolean admitted;
    private final List<Part> parts;
    private final AtomicBoolean refunded;

    /**
     * The part of a decision that one call made.
     *
     * @param reservedAt creation time of its reservation in microseconds since 1970; 0 for none
     */
    record Part(
            List<ScriptCharge> charges,
            Reply.Read read,
            @Nullable KeyName record,
            long reservedAt) {
        static Part of(ChargeGroup group, Reply.Read read) {
            return new Part(group.charges(), read, null, 0);
        }
    }

    /** @param spent whether there is anything to refund */
    ScriptedDecision(
            ScriptedStore store,
            List<Charge> charges,
            List<Reading> readings,
            boolean admitted,
            boolean spent,
            List<Part> parts) {
        this.store = store;
        this.charges = charges;
        this.readings = readings;
        this.admitted = admitted;
        this.parts = parts;
        this.refunded = new AtomicBoolean(!spent);
    }

    /** A decision made by one call, which spent the charges if it admitted them. */
    static ScriptedDecision consumed(ScriptedStore store, List<Charge> charges, ChargeGroup group, Reply.Read read) {
        boolean admitted = read.admitted();
        return new ScriptedDecision(store, charges, read.readings(), admitted, admitted, List.of(Part.of(group, read)));
    }

    boolean isOf(ScriptedStore other) {
        return store == other;
    }

    /** Returns true to the first caller, which may refund; false to all others, and always if nothing was spent. */
    boolean refundOnce() {
        return refunded.compareAndSet(false, true);
    }

    List<Part> parts() {
        return parts;
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
    public List<Reading> readings() {
        return readings;
    }

    /** Microseconds since 1970 by the clock of the node that has the first charge's key. */
    @Override
    public long time() {
        return parts.get(0).read().scriptTime().micros();
    }
}
