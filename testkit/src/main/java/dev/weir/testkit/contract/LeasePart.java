package dev.weir.testkit.contract;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.Policy;
import java.util.List;

/** Three slots, and helpers to hold them. */
public abstract class LeasePart extends ContractPart {
    static final Policy THREE = Concurrency.of(3);

    final Decision acquire(String id) {
        return acquire(id, 1);
    }

    final Decision acquire(String id, long units) {
        return await(store().acquire(id, List.of(new Charge(key("slots"), THREE, units)), MINUTE));
    }

    final long free() {
        return remaining(key("slots"), THREE);
    }
}
