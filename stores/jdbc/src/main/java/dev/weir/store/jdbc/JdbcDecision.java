package dev.weir.store.jdbc;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A decision that a SQL store made. */
final class JdbcDecision implements Decision {
    /** For a decision before which no reset came at the very same time. */
    static final int[] NO_RESETS = {};

    private final Object store;
    private final List<Asked> asked;
    private final List<Charge> charges;
    private final List<Reading> readings;
    private final boolean admitted;
    private final boolean spent;
    private final Moment moment;
    private final @Nullable String reservation;
    /** By charge, see {@link dev.weir.algorithm.ResetMark#seen}; {@link #NO_RESETS} if all are 0. */
    private int[] resetsSeen = NO_RESETS;

    private final AtomicBoolean refunded = new AtomicBoolean();

    /**
     * @param store which store it belongs to, compared by identity
     * @param spent whether there is anything to give back
     * @param reservation the id under which it can be settled
     */
    JdbcDecision(
            Object store,
            List<Asked> asked,
            List<Reading> readings,
            boolean admitted,
            boolean spent,
            Moment moment,
            @Nullable String reservation) {
        this.store = store;
        this.asked = asked;
        this.charges = Asked.charges(asked);
        this.readings = readings;
        this.admitted = admitted;
        this.spent = spent;
        this.moment = moment;
        this.reservation = reservation;
    }

    /** The same, to be settled under an id. */
    JdbcDecision reservedAs(String id) {
        return new JdbcDecision(store, asked, readings, admitted, spent, moment, id).havingSeen(resetsSeen);
    }

    /** Call it before anyone else sees the decision. */
    JdbcDecision havingSeen(int[] resets) {
        resetsSeen = resets;
        return this;
    }

    int[] resetsSeen() {
        return resetsSeen;
    }

    int resetsSeen(int index) {
        return resetsSeen.length == 0 ? 0 : resetsSeen[index];
    }

    /** When something happens, by both clocks. */
    record Moment(long micros, long wallMillis) {
        long ticks(Terms terms) {
            return terms.meter().followsCalendar() ? wallMillis : micros;
        }
    }

    Object store() {
        return store;
    }

    List<Asked> asked() {
        return asked;
    }

    Moment moment() {
        return moment;
    }

    @Nullable
    String reservation() {
        return reservation;
    }

    /** Whether this is the first attempt to give back what was spent. */
    boolean claimRefund() {
        return spent && refunded.compareAndSet(false, true);
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

    @Override
    public long time() {
        return moment.micros();
    }
}
