package dev.weir.engine.event;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The share of refused requests within the rule's duration, in sixty slices. A request counts for the duration, plus or
 * minus one sixtieth.
 */
final class ShareWatch implements AlertMonitor.Watch {
    private static final int SLICES = 60;

    private final AlertRule.DeniedShare rule;
    private final AlertMonitor.AlertOutlet outlet;
    private final long sliceMillis;
    private final long[] all = new long[SLICES];
    private final long[] denied = new long[SLICES];
    /** The number of the present slice since 1970; the array holds it and the 59 before it. */
    private long slice = Long.MIN_VALUE;

    private long sumAll;
    private long sumDenied;
    /** The episode that lasts; null if the condition does not hold. */
    private @Nullable AlertEpisode episode;

    ShareWatch(AlertRule.DeniedShare rule, AlertMonitor.AlertOutlet outlet) {
        this.rule = rule;
        this.outlet = outlet;
        this.sliceMillis = Math.max(1, rule.within().toMillis() / SLICES);
    }

    @Override
    public void see(Event.OfRequest event) {
        boolean refused = event instanceof Event.Denied refusal && !refusal.shadow();
        if (!refused && !(event instanceof Event.Allowed)) {
            return;
        }
        moveTo(Math.floorDiv(event.at().toEpochMilli(), sliceMillis));
        // Requests that left the window may have ended an episode before this request.
        endIfBelow(event.at());
        int at = (int) Math.floorMod(slice, (long) SLICES);
        all[at]++;
        sumAll++;
        if (refused) {
            denied[at]++;
            sumDenied++;
            goOn(event.at());
        }
        endIfBelow(event.at());
        if (episode == null && sumAll >= rule.minimum() && sumDenied * 100 >= sumAll * rule.percent()) {
            Event.Alert alert = new Event.Alert(
                    event.at(),
                    rule.name(),
                    Event.Alert.Kind.DENIED_SHARE,
                    Map.of(),
                    sumDenied * 100 / sumAll,
                    rule.percent(),
                    rule.within());
            if (outlet.raise(alert)) {
                episode = new AlertEpisode(rule.name(), alert.kind(), Map.of(), event.at(), event.at(), sumDenied);
            }
        }
    }

    /** Counts a refused request for the episode that lasts. */
    private void goOn(Instant at) {
        AlertEpisode lasting = episode;
        if (lasting != null) {
            episode = new AlertEpisode(
                    lasting.name(), lasting.kind(), lasting.subject(), lasting.since(), at, lasting.count() + 1);
        }
    }

    @Override
    public void look(Instant now) {
        moveTo(Math.floorDiv(now.toEpochMilli(), sliceMillis));
        endIfBelow(now);
    }

    @Override
    public void endAll(Instant now) {
        AlertEpisode lasting = episode;
        if (lasting != null) {
            episode = null;
            outlet.end(lasting, now);
        }
    }

    @Override
    public List<AlertEpisode> episodes() {
        return episode == null ? List.of() : List.of(episode);
    }

    private void endIfBelow(Instant now) {
        boolean tooFew = sumAll < rule.minimum();
        // Below four fifths of the share.
        if (tooFew || sumDenied * 500 < sumAll * rule.percent() * 4) {
            endAll(now);
        }
    }

    private void moveTo(long next) {
        if (slice == Long.MIN_VALUE) {
            slice = next;
        }
        long steps = Math.min(next - slice, SLICES);
        for (long i = 1; i <= steps; i++) {
            int at = (int) Math.floorMod(slice + i, (long) SLICES);
            sumAll -= all[at];
            sumDenied -= denied[at];
            all[at] = 0;
            denied[at] = 0;
        }
        if (steps == SLICES) {
            Arrays.fill(all, 0);
            Arrays.fill(denied, 0);
            sumAll = 0;
            sumDenied = 0;
        }
        slice = Math.max(slice, next);
    }
}
