package dev.weir.server.dashboard;

import dev.weir.StoreStatistics;
import dev.weir.engine.Counts;
import dev.weir.engine.LimitCounts;
import dev.weir.engine.Reason;
import dev.weir.engine.SkippedLimit;
import dev.weir.engine.Weir;
import dev.weir.engine.json.Json;
import dev.weir.server.http.ServerIdentity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The numbers of the dashboard: allowed and refused requests of the last hour, in total and by limit, the subjects
 * refused most, and the state of the store. It samples the engine's counters once a second. Thread-safe.
 */
final class Overview {
    private static final int SLOTS = SeriesRange.HOUR.slots;
    private static final int SLOT_SECONDS = SeriesRange.HOUR.slotSeconds;
    private static final int LIMIT_SLOTS = 60;
    private static final int LIMIT_SLOT_SECONDS = 60;
    private static final int ALLOWED = 0;
    private static final int DENIED = 1;
    private static final int VIOLATIONS = 2;
    private static final int UNAVAILABLE = 3;
    private static final int UNAVAILABLE_ALLOWED = 4;
    private static final int SHADOW = 2;
    private static final int WARNED = 3;
    private static final int LIMIT_UNAVAILABLE = 4;
    private static final int LIMIT_IMPOSSIBLE = 5;
    private static final int TOP = 10;
    /** Number of chart slots sent each second: the current one, which still grows, and the one before. */
    private static final int NEWEST = 2;

    private final Weir weir;
    private final SeenSubjects seenSubjects;
    private final RecentEvents recentEvents;
    private final ServerIdentity identity;
    private final TimeSeries series;
    private final long startedAt = System.currentTimeMillis() / 1000;
    /** Guarded by this, like the next field. */
    private RollingCounts all = new RollingCounts(SLOTS, SLOT_SECONDS, 5);

    private final Map<String, RollingCounts> limits = new HashMap<>();
    /** Refused requests of the last hour by limit and reason: at most four entries for each limit. */
    private final Map<Counts.DeniedBy, RollingCounts> deniedBy = new HashMap<>();

    Overview(
            Weir weir,
            SeenSubjects seenSubjects,
            RecentEvents recentEvents,
            ServerIdentity identity,
            TimeSeries series) {
        this.weir = weir;
        this.identity = identity;
        this.series = series;
        this.seenSubjects = seenSubjects;
        this.recentEvents = recentEvents;
    }

    synchronized void sample(long second) {
        Counts counts = weir.counts();
        long violations = counts.limited() + counts.impossible() + counts.penalized();
        all.read(
                second,
                counts.allowed() + counts.unavailableAllowed(),
                counts.denied(),
                violations,
                counts.unavailableDenied(),
                counts.unavailableAllowed());
        counts.deniedBy()
                .forEach((by, count) ->
                        deniedBy.computeIfAbsent(by, key -> newDenied()).read(second, count));
        for (LimitCounts limit : counts.limits()) {
            limits.computeIfAbsent(limit.limit(), name -> newLimit())
                    .read(
                            second,
                            limit.allowed(),
                            limit.limited() + limit.impossible(),
                            limit.shadowDenied(),
                            limit.warned(),
                            limit.unavailable(),
                            limit.impossible());
        }
    }

    synchronized void save(SavedHistory saved) {
        saved.add("overview", all);
        limits.forEach((limit, counts) -> saved.add("overview-limit/" + limit, counts));
        deniedBy.forEach((by, counts) -> saved.add(
                "overview-denied/" + by.reason().name() + "/" + Objects.requireNonNullElse(by.limit(), ""), counts));
    }

    /** Continues the counts of the last hour that were saved, before the first sample. */
    synchronized void restore(SavedHistory saved) {
        saved.series.forEach((name, counts) -> {
            String[] parts = name.split("/", 3);
            if (name.equals("overview") && counts.hasShapeOf(all)) {
                all = counts;
            } else if (parts[0].equals("overview-limit") && counts.hasShapeOf(newLimit())) {
                limits.put(name.substring(parts[0].length() + 1), counts);
            } else if (parts[0].equals("overview-denied") && parts.length == 3 && counts.hasShapeOf(newDenied())) {
                deniedBy.put(
                        new Counts.DeniedBy(parts[2].isEmpty() ? null : parts[2], Reason.valueOf(parts[1])), counts);
            }
        });
    }

    private static RollingCounts newLimit() {
        return new RollingCounts(LIMIT_SLOTS, LIMIT_SLOT_SECONDS, 6);
    }

    private static RollingCounts newDenied() {
        return new RollingCounts(LIMIT_SLOTS, LIMIT_SLOT_SECONDS, 1);
    }

    /** Writes the complete chart, as members of the open object. */
    void writeHistory(Json json) {
        series.writeNewest(json, SLOTS);
    }

    /** Writes the current numbers, as members of the open object. */
    synchronized void write(Json json, long second) {
        Counts counts = weir.counts();
        json.field("now", System.currentTimeMillis())
                .field("started_at", startedAt)
                .field("recorded_since", series.recordedSince())
                .field("allowed", counts.allowed() + counts.unavailableAllowed())
                .field("untouched", counts.untouched())
                .field("denied", counts.denied())
                .field("limited", counts.limited())
                .field("impossible", counts.impossible())
                .field("penalized", counts.penalized())
                .field("unavailable", counts.unavailableDenied())
                .field("unavailable_allowed", counts.unavailableAllowed());
        identity.write(json);
        json.name("untouched_by")
                .open('{')
                .field("exempt", counts.exempt())
                .field("not-limited", counts.notLimited())
                .close('}');
        writeDeniedBy(json);
        json.name("last_hour")
                .open('{')
                .field("allowed", all.sum(second, ALLOWED))
                .field("denied", all.sum(second, DENIED))
                .field("violations", all.sum(second, VIOLATIONS));
        DeniedCounts.write(
                json,
                deniedBy.entrySet().stream()
                        .map(entry -> row(entry.getKey(), entry.getValue().sum(second, 0)))
                        .filter(row -> row.count() > 0)
                        .toList());
        json.close('}');
        json.name("last_minute")
                .open('{')
                .field("allowed", all.sum(second, ALLOWED, 60 / SLOT_SECONDS))
                .field("denied", all.sum(second, DENIED, 60 / SLOT_SECONDS))
                .close('}');
        json.field("exempt", exempt());
        writeTop(json, second);
        writeStore(json, second);
        recentEvents.writeRejected(json);
        json.name("newest").open('{');
        series.writeNewest(json, NEWEST);
        json.close('}');
        writeLimits(json, second);
    }

    /** Writes the refused requests since the start by limit and reason, as a member of the open object. */
    void writeDeniedBy(Json json) {
        DeniedCounts.write(
                json,
                weir.counts().deniedBy().entrySet().stream()
                        .map(entry -> row(entry.getKey(), entry.getValue()))
                        .toList());
    }

    private static DeniedCounts.Row row(Counts.DeniedBy by, long count) {
        return new DeniedCounts.Row(new DeniedCounts.By(by.limit(), by.reason().text()), count);
    }

    /** Writes the limits that were skipped for every request, as a member of the open object. */
    void writeNeverApplied(Json json) {
        json.name("never_applied").open('[');
        for (SkippedLimit limit : weir.skippedLimits()) {
            json.open('{')
                    .field("limit", limit.limit())
                    .field("missing", limit.missing())
                    .field("carried", limit.carried())
                    .field("similar", limit.similar())
                    .field("skipped", limit.skipped())
                    .field("since", limit.since().getEpochSecond())
                    .close('}');
        }
        json.close(']');
    }

    private long exempt() {
        return weir.configuration().exempt().values().stream()
                        .mapToLong(Set::size)
                        .sum()
                + weir.settings().exempt().values().stream()
                        .mapToLong(Set::size)
                        .sum();
    }

    private void writeTop(Json json, long second) {
        List<SeenSubject> top = seenSubjects.top(TOP, second);
        json.name("top").open('[');
        synchronized (seenSubjects) {
            for (SeenSubject member : top) {
                json.open('{')
                        .field("id", member.id)
                        .field("attribute", member.attribute)
                        .field("value", member.value)
                        .field("violations", member.violationsLastHour(second))
                        .field("throttled", member.consecutive > 0)
                        .close('}');
            }
        }
        json.close(']');
    }

    private void writeStore(Json json, long second) {
        String uri = weir.configuration().store();
        int colon = uri.indexOf(':');
        json.name("store")
                .open('{')
                .field("kind", colon < 0 ? uri : uri.substring(0, colon))
                .field("available", !weir.store().isCircuitOpen())
                .field("denied_per_sec", perSecond(second, UNAVAILABLE))
                .field("allowed_per_sec", perSecond(second, UNAVAILABLE_ALLOWED));
        recentEvents.writeOutages(json, second * 1000);
        if (weir.store().delegate() instanceof StoreStatistics statistics) {
            json.field("entries", statistics.entries())
                    .field("sweeps", statistics.sweeps())
                    .field("swept", statistics.swept());
        }
        json.close('}');
    }

    /** Returns the mean of the last five to ten seconds, rounded up so that a few are never shown as none. */
    private long perSecond(long second, int which) {
        long seconds = SLOT_SECONDS + second % SLOT_SECONDS + 1;
        return (all.sum(second, which, NEWEST) + seconds - 1) / seconds;
    }

    private void writeLimits(Json json, long second) {
        json.name("limits").open('{');
        limits.forEach((name, tally) -> {
            json.name(name)
                    .open('{')
                    .field("allowed", tally.sum(second, ALLOWED))
                    .field("denied", tally.sum(second, DENIED))
                    .field("impossible", tally.sum(second, LIMIT_IMPOSSIBLE))
                    .field("unavailable", tally.sum(second, LIMIT_UNAVAILABLE))
                    .field("shadow_denied", tally.sum(second, SHADOW))
                    .field("warned", tally.sum(second, WARNED));
            tally.write(json, "denied_by_minute", DENIED, LIMIT_SLOTS);
            tally.write(json, "shadow_by_minute", SHADOW, LIMIT_SLOTS);
            tally.write(json, "allowed_by_minute", ALLOWED, LIMIT_SLOTS);
            recentEvents.writeRefusals(name, json);
            json.close('}');
        });
        json.close('}');
    }
}
