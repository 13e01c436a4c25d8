package dev.weir.spring.test;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A memory store that can be begun anew. */
final class TestStore implements DirectStore {
    private final FakeClock clock;
    private volatile MemoryStore present;

    TestStore(FakeClock clock) {
        this.clock = clock;
        this.present = empty();
    }

    /** Forgets budgets, reservations and leases. */
    void reset() {
        MemoryStore before = present;
        present = empty();
        before.close();
    }

    private MemoryStore empty() {
        return MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock));
    }

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        return present.consume(charges);
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        return present.peek(charges);
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        return present.refund(decision);
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        return present.reset(keys);
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        return present.reserve(id, charges, ttl);
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        return present.settle(id, costs);
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        return present.cancel(id);
    }

    @Override
    public Answer<Boolean> prolong(String id, Duration ttl) {
        return present.prolong(id, ttl);
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        return present.acquire(id, charges, ttl);
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        return present.renew(id, ttl);
    }

    @Override
    public Answer<Boolean> release(String id) {
        return present.release(id);
    }

    /** None: one would still count in a store that is gone. */
    @Override
    public @Nullable Lane lane(Policy policy) {
        return null;
    }

    @Override
    public void close() {
        present.close();
    }
}
