package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.engine.config.HoldRule;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the number of open reservations of a subject. Each reservation takes a token of a separate bucket, in the same
 * atomic step as its other charges, and returns it when it is settled or cancelled. If it expires, the token returns by
 * refill: the bucket refills once in the longest ttl of a reservation.
 *
 * <p>The subject is the key of the limit with the most parts in {@code per}; of several such limits, the last. If all
 * limits that apply have an empty {@code per} there is no subject, and no bound but the store's.
 */
final class OpenReservations {
    private static final String SCOPE = "weir:open";

    private OpenReservations() {}

    /** The charge for one open reservation; null if there is no subject. */
    static @Nullable Charge charge(PreparedRequest prepared, HoldRule rule) {
        LimitCharges narrowest = null;
        int most = 0;
        for (LimitCharges limitCharges : prepared.chargesByLimit()) {
            int parts = limitCharges.limit().keys.parts().size();
            if (parts > 0 && parts >= most) {
                most = parts;
                narrowest = limitCharges;
            }
        }
        if (narrowest == null) {
            return null;
        }
        Key subject = narrowest.limit().keys.key(prepared.values(), List.of());
        return Charge.of(
                key(subject),
                TokenBucket.of(rule.openReservations(), rule.openReservations(), rule.longestReservation()));
    }

    /** The key under which the open reservations of a subject are counted, from the key of its limit. */
    static Key key(Key subject) {
        List<String> values = new ArrayList<>(subject.values().size() + 1);
        values.add(subject.scope());
        values.addAll(subject.values());
        return Key.of(SCOPE, values);
    }

    static List<Charge> with(List<Charge> charges, Charge open) {
        return Stream.concat(charges.stream(), Stream.of(open)).toList();
    }

    /** The decision; a failure if only the bound on open reservations refused. */
    static Answer<Decision> decided(Answer<Decision> answer, HoldRule rule) {
        return Answers.then(
                answer,
                decision -> isOnlyObstacle(decision)
                        ? Promise.failed(StoreException.full("a subject has " + rule.openReservations()
                                + " open reservations already (holds.open-reservations)"))
                        : decision,
                Promise::failed);
    }

    /** The actual costs of a settled reservation, which returns its token. */
    static Map<String, Long> settled(Map<String, Long> costs) {
        Map<String, Long> all = new HashMap<>(costs);
        all.put(SCOPE, 0L);
        return all;
    }

    private static boolean isOnlyObstacle(Decision decision) {
        int last = decision.charges().size() - 1;
        if (decision.admitted() || !(decision.reading(last) instanceof Reading.Refused)) {
            return false;
        }
        for (int i = 0; i < last; i++) {
            if (!(decision.reading(i) instanceof Reading.Fits)) {
                return false;
            }
        }
        return true;
    }
}
