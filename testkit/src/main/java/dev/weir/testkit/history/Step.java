package dev.weir.testkit.history;

import dev.weir.Charge;
import dev.weir.Key;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One operation on a store or on its clock. */
public sealed interface Step {

    /** The charges of this step; empty if it has none. */
    default List<Charge> charges() {
        return List.of();
    }

    /** Advances the clock. */
    record Advance(Duration by) implements Step {}

    /** Steps the clock back, which counts as no time at all; the wall clock steps with it. */
    record StepBack(Duration by) implements Step {}

    /** Sets the wall clock, forward or back. */
    record StepWall(Duration by) implements Step {}

    /** Makes the store evict all entries that it may evict. */
    record Sweep() implements Step {}

    /** Consumes; the number identifies the decision for a refund. */
    record Consume(int number, List<Charge> charges) implements Step {}

    record Peek(List<Charge> charges) implements Step {}

    /** Refunds the decision of that number. */
    record Refund(int number) implements Step {}

    record Reset(List<Key> keys) implements Step {}

    record Reserve(String id, List<Charge> charges, Duration ttl) implements Step {}

    /** Refunds the latest decision of that reservation. */
    record RefundReserved(String id) implements Step {}

    record Settle(String id, Map<String, Long> costs) implements Step {}

    record Cancel(String id) implements Step {}

    record Prolong(String id, Duration ttl) implements Step {}

    /** Acquires a lease. If the call repeats an id, only whether it was admitted is compared. */
    record Acquire(String id, List<Charge> charges, Duration ttl, boolean repeats) implements Step {}

    record Renew(String id, Duration ttl) implements Step {}

    record Release(String id) implements Step {}
}
