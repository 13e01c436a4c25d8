package dev.weir.testkit.history;

import dev.weir.Charge;
import dev.weir.Key;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One thing that happens to a store or to its clock. */
public sealed interface Step {

    /** What is asked for in it; none if it asks for nothing. */
    default List<Charge> charges() {
        return List.of();
    }

    /** Time passes. */
    record Advance(Duration by) implements Step {}

    /** The clock steps back, which counts as no time at all; the wall clock steps with it. */
    record StepBack(Duration by) implements Step {}

    /** The wall clock is set, forward or back. */
    record StepWall(Duration by) implements Step {}

    /** The store forgets what it may forget. */
    record Sweep() implements Step {}

    /** A decision, numbered so that it can be refunded. */
    record Consume(int number, List<Charge> charges) implements Step {}

    record Peek(List<Charge> charges) implements Step {}

    /** The decision of that number is given back. */
    record Refund(int number) implements Step {}

    record Reset(List<Key> keys) implements Step {}

    record Reserve(String id, List<Charge> charges, Duration ttl) implements Step {}

    /** The latest decision of that reservation is given back. */
    record RefundReserved(String id) implements Step {}

    record Settle(String id, Map<String, Long> costs) implements Step {}

    record Cancel(String id) implements Step {}

    record Prolong(String id, Duration ttl) implements Step {}

    /** Of a call that repeats an id, only whether it was admitted is compared. */
    record Acquire(String id, List<Charge> charges, Duration ttl, boolean repeats) implements Step {}

    record Renew(String id, Duration ttl) implements Step {}

    record Release(String id) implements Step {}
}
