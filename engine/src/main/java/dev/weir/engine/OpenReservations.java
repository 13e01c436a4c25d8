package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.engine.config.HoldRule;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many reservations a subject leaves open: each takes a token of a bucket of its own, in the same step as its
 * other charges, and gives it back when it is settled or cancelled. Of one that expires the token comes back by itself: the
 * bucket fills once in the longest life of a reservation.
 *
 * <p>The subject is that of the limit with the most parts in {@code per}, the last of these. Where all limits that apply
 * are per nothing there is no subject, and no bound but the store's.
 */
final class OpenReservations {
    private static final String SCOPE = "weir:open";

    private OpenReservations() {}

    /** What a reservation charges for being open; null if nobody is known to charge. */
    static @Nullable Charge charge(Inquiry inquiry, HoldRule rule) {
        Demand narrowest = null;
        int most = 0;
        for (Demand demand : inquiry.demands) {
            int parts = demand.limit().keys.parts().size();
            if (parts > 0 && parts >= most) {
                most = parts;
                narrowest = demand;
            }
        }
        if (narrowest == null) {
            return null;
        }
        Key subject = narrowest.limit().keys.key(inquiry.values, List.of());
        return Charge.of(
                key(subject),
                TokenBucket.of(rule.openReservations(), rule.openReservations(), rule.longestReservation()));
    }

    /** Where the open reservations of a subject are counted, by the key of its limit. */
    static Key key(Key subject) {
        List<String> values = new ArrayList<>(subject.values().size() + 1);
        values.add(subject.scope());
        values.addAll(subject.values());
        return Key.of(SCOPE, values);
    }

    static List<Charge> with(List<Charge> charges, Charge open) {
        return Stream.concat(charges.stream(), Stream.of(open)).toList();
    }

    /** The decision; a failure if everything would have fitted but one more open reservation. */
    static Answer<Decision> decided(Answer<Decision> answer, HoldRule rule) {
        return Answers.then(
                answer,
                decision -> isOnlyObstacle(decision)
                        ? Promise.failed(StoreException.full("a subject has " + rule.openReservations()
                                + " open reservations already (holds.open-reservations)"))
                        : decision,
                Promise::failed);
    }

    /** The actual costs of a settled reservation, which is not open any more. */
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
