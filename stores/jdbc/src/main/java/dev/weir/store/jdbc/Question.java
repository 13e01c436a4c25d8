package dev.weir.store.jdbc;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Settlement;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** One call of a store, on its way to the database: what it must know, and what it does then. */
sealed interface Question {

    /** Names what must be loaded. */
    void tell(Needs needs);

    /** Decides on what was loaded. The answer is what the store's call answers, or {@link Misuse}. */
    Object decide(Workspace workspace);

    /** An answer that blames the caller: what only the database could find out. */
    record Misuse(String message) {}

    /** See {@link dev.weir.Store#consume}. */
    record Consume(List<Asked> asked) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
        }

        @Override
        public Object decide(Workspace workspace) {
            return workspace.decide(asked, null, 0);
        }
    }

    /** See {@link dev.weir.Store#peek}. */
    record Peek(List<Asked> asked) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
        }

        @Override
        public Object decide(Workspace workspace) {
            return workspace.look(asked);
        }
    }

    /** See {@link dev.weir.Store#refund}; a reservation's decision closes it. */
    record Refund(JdbcDecision decision) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(decision.asked());
            if (decision.reservation() != null) {
                needs.hold(RowKey.ofReservation(decision.reservation()));
            }
        }

        @Override
        public Object decide(Workspace workspace) {
            if (decision.reservation() != null && !closes(workspace, RowKey.ofReservation(decision.reservation()))) {
                return false;
            }
            for (int i = 0; i < decision.asked().size(); i++) {
                workspace.adjust(decision, i, -decision.asked().get(i).charge().cost());
            }
            return true;
        }

        private boolean closes(Workspace workspace, RowKey id) {
            Hold hold = workspace.held(id);
            if (hold == null || hold.closed() || !hold.decided().equals(decision.moment())) {
                return false;
            }
            workspace.put(id, hold.close(workspace.now().micros()));
            return true;
        }
    }

    /** See {@link dev.weir.Store#reset}. */
    record Reset(List<RowKey> keys) implements Question {
        @Override
        public void tell(Needs needs) {
            keys.forEach(needs::budget);
        }

        @Override
        public Object decide(Workspace workspace) {
            keys.forEach(workspace::reset);
            return true;
        }
    }

    /** See {@link dev.weir.Store#reserve}. */
    record Reserve(Object store, String id, RowKey row, List<Asked> asked, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
            needs.hold(row);
        }

        @Override
        public Object decide(Workspace workspace) {
            Hold known = workspace.held(row);
            if (known != null) {
                return keys(known.charged()).equals(keys(asked))
                        ? known.decision(store, id)
                        : new Misuse("the reservation '" + id
                                + "' was made for other keys; a new reservation needs a new id");
            }
            JdbcDecision decision = workspace.decide(asked, null, 0);
            if (decision.admitted()) {
                workspace.put(row, Hold.of(decision, workspace.now().micros() + ttlMicros));
                return decision.reservedAs(id);
            }
            return decision;
        }

        private static List<RowKey> keys(List<Asked> all) {
            return all.stream().map(Asked::key).toList();
        }
    }

    /** See {@link dev.weir.Store#settle} and, without costs, {@link dev.weir.Store#cancel}. */
    record Close(RowKey row, @Nullable Map<String, Long> costs) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(row);
        }

        @Override
        public Object decide(Workspace workspace) {
            Hold hold = workspace.held(row);
            if (hold == null) {
                return Settlement.UNKNOWN;
            }
            if (hold.closed()) {
                return Settlement.ALREADY_CLOSED;
            }
            String stranger = stranger(hold);
            if (stranger != null) {
                return new Misuse("the reservation holds nothing for '" + stranger + "'");
            }
            workspace.put(row, hold.close(workspace.now().micros()));
            ToLongFunction<Charge> actual = actual();
            JdbcDecision decision = hold.decision(this, "");
            for (int i = 0; i < hold.charged().size(); i++) {
                Charge charge = hold.charged().get(i).charge();
                workspace.adjust(decision, i, actual.applyAsLong(charge) - charge.cost());
            }
            return Settlement.DONE;
        }

        private ToLongFunction<Charge> actual() {
            return costs == null
                    ? charge -> 0
                    : charge -> costs.getOrDefault(charge.key().scope(), charge.cost());
        }

        /** A scope that the costs name and the reservation does not hold. */
        private @Nullable String stranger(Hold hold) {
            if (costs != null) {
                for (String scope : costs.keySet()) {
                    if (hold.charged().stream()
                            .noneMatch(asked -> asked.charge().key().scope().equals(scope))) {
                        return scope;
                    }
                }
            }
            return null;
        }
    }

    /** See {@link dev.weir.Store#prolong}. */
    record Prolong(RowKey row, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(row);
        }

        @Override
        public Object decide(Workspace workspace) {
            Hold hold = workspace.held(row);
            if (hold == null || hold.closed()) {
                return false;
            }
            workspace.put(row, hold.until(workspace.now().micros() + ttlMicros));
            return true;
        }
    }

    /** See {@link dev.weir.Store#acquire}. */
    record Acquire(String id, RowKey row, List<Asked> asked, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
            needs.hold(row);
        }

        @Override
        public Object decide(Workspace workspace) {
            Hold held = workspace.held(row);
            if (held != null && new Renew(id, row, ttlMicros).renews(workspace, held)) {
                return workspace.lookAtHeld(held.charged());
            }
            long end = workspace.now().micros() + ttlMicros;
            JdbcDecision decision = workspace.decide(asked, id, end);
            if (decision.admitted()) {
                workspace.put(row, Hold.of(decision, end));
            }
            return decision;
        }
    }

    /** See {@link dev.weir.Store#renew}. */
    record Renew(String id, RowKey row, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(row);
        }

        @Override
        public Object decide(Workspace workspace) {
            Hold held = workspace.held(row);
            return held != null && renews(workspace, held);
        }

        /** A lease of which a slot is lost is not held any more: the others are freed. */
        boolean renews(Workspace workspace, Hold held) {
            long end = workspace.now().micros() + ttlMicros;
            for (Asked asked : held.charged()) {
                if (asked.charge().policy() instanceof Concurrency && !workspace.renewSlots(asked, id, end)) {
                    new Release(id, row).releases(workspace, held);
                    return false;
                }
            }
            workspace.put(row, held.until(end));
            return true;
        }
    }

    /** See {@link dev.weir.Store#release}. */
    record Release(String id, RowKey row) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(row);
        }

        @Override
        public Object decide(Workspace workspace) {
            Hold held = workspace.held(row);
            if (held != null) {
                releases(workspace, held);
            }
            return held != null;
        }

        void releases(Workspace workspace, Hold held) {
            workspace.remove(row);
            for (Asked asked : held.charged()) {
                if (asked.charge().policy() instanceof Concurrency) {
                    workspace.releaseSlots(asked, id);
                }
            }
        }
    }
}
