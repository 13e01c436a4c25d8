package dev.weir.testkit.contract;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A budget of tokens, and helpers to reserve some of it. */
public abstract class ReservationPart extends ContractPart {
    static final Policy TOKENS = FixedWindow.of(1_000, DAY);
    static final Policy LARGER = FixedWindow.of(2_000, DAY);

    final boolean prolong(String id, Duration ttl) {
        return await(store().prolong(id, ttl));
    }

    final Decision reserve(String id, long tokens) {
        return await(store().reserve(id, List.of(new Charge(Key.of("tokens"), TOKENS, tokens)), MINUTE));
    }

    final Settlement settle(String id, long tokens) {
        return await(store().settle(id, Map.of("tokens", tokens)));
    }

    final long left() {
        return remaining(Key.of("tokens"), TOKENS);
    }
}
