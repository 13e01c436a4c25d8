package dev.weir.cli;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.memory.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides the requests of a log with the log's own time. It uses the real engine and memory store, but publishes no
 * alert and keeps nothing.
 */
final class Simulation implements AutoCloseable {
    /** How many subjects are counted separately; the counts of limits continue beyond that. */
    private static final int MOST_SUBJECTS = 100_000;

    /** Maximum distance from the first request: a damaged line must not advance the clock to its end. */
    private static final Duration LONGEST = Duration.ofDays(3_650);

    private final Configuration configuration;
    private final Map<String, String> constants;
    private final LogTime time = new LogTime();
    private final Map<String, LimitTotals> limits = new LinkedHashMap<>();
    private final Map<String, Long> subjects = new HashMap<>();
    private long allowed;
    private long refused;
    private long unlimited;
    private @Nullable Instant first;
    private Instant last = Instant.MIN;
    /** Created with the first request, because the store's time begins at its creation; null before. */
    private @Nullable Weir weir;

    /** The results of the requests that a limit applied to. */
    static final class LimitTotals {
        final boolean isShadow;
        long asked;
        long refused;

        @Nullable
        Instant firstRefusal;

        LimitTotals(boolean isShadow) {
            this.isShadow = isShadow;
        }
    }

    /** The time of the current line. Logs are not strictly ordered: the store treats a step back as no time passed. */
    private static final class LogTime implements TimeSource {
        private Instant now = Instant.EPOCH;

        @Override
        public long nanos() {
            return now.getEpochSecond() * 1_000_000_000 + now.getNano();
        }

        @Override
        public long epochMillis() {
            return now.toEpochMilli();
        }
    }

    /** @param constants attributes added to every request whose line does not have them */
    Simulation(Configuration configuration, Map<String, String> constants) {
        this.configuration = configuration.withStore("memory").withoutAlerts();
        this.constants = constants;
        for (LimitRule limit : configuration.limits()) {
            limits.put(limit.name(), new LimitTotals(limit.shadow()));
        }
    }

    /**
     * Decides one request.
     *
     * @throws IllegalArgumentException if the engine rejects its attributes, or its time is far from the first
     */
    void add(LoggedRequest visit) {
        Map<String, String> attributes = new LinkedHashMap<>(constants);
        attributes.putAll(visit.attributes());
        Request request = Request.of(attributes);
        if (first != null && Duration.between(first, visit.at()).abs().compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("its time is more than " + LONGEST.toDays() + " days from the first");
        }
        time.now = visit.at();
        Outcome outcome = weir().check(request);
        first = first == null || visit.at().isBefore(first) ? visit.at() : first;
        last = visit.at().isAfter(last) ? visit.at() : last;
        if (outcome.isUntouched()) {
            unlimited++;
        } else if (outcome.allowed()) {
            allowed++;
        } else {
            refused++;
            LimitResult decisive = outcome.decisive();
            count(decisive == null ? "(penalty)" : subject(decisive, attributes, outcome.derived()));
        }
        outcome.limits().forEach(result -> tally(result, visit.at()));
    }

    private Weir weir() {
        Weir present = weir;
        if (present == null) {
            present = Weir.of(
                    configuration,
                    MemoryStore.create(MemoryStoreOptions.defaults().timeSource(time)),
                    new InMemorySettings(),
                    WeirOptions.defaults().withClock(() -> time.now));
            weir = present;
        }
        return present;
    }

    private void tally(LimitResult result, Instant at) {
        LimitTotals tally = limits.get(result.name());
        if (tally != null) {
            tally.asked++;
            if (!result.allowed()) {
                tally.refused++;
                tally.firstRefusal = tally.firstRefusal == null ? at : tally.firstRefusal;
            }
        }
    }

    private void count(String subject) {
        if (subjects.size() < MOST_SUBJECTS || subjects.containsKey(subject)) {
            subjects.merge(subject, 1L, Long::sum);
        }
    }

    private String subject(LimitResult limit, Map<String, String> attributes, Map<String, String> derived) {
        if (limit.keyedBy().isEmpty()) {
            return "(everybody)";
        }
        return limit.keyedBy().stream()
                .map(name -> name + "=" + value(name, attributes, derived))
                .collect(Collectors.joining(" "));
    }

    private String value(String name, Map<String, String> attributes, Map<String, String> derived) {
        String known = attributes.getOrDefault(name, derived.get(name));
        return known == null ? configuration.defaults().getOrDefault(name, "?") : known;
    }

    Map<String, LimitTotals> limits() {
        return limits;
    }

    /** Returns the subjects refused most, with the number of refusals. */
    List<Map.Entry<String, Long>> mostRefused(int count) {
        return subjects.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(count)
                .toList();
    }

    long allowed() {
        return allowed;
    }

    long refused() {
        return refused;
    }

    /** Returns the number of requests to which no limit applied. */
    long unlimited() {
        return unlimited;
    }

    /** Returns the time of the first request; null if there was none. */
    @Nullable
    Instant first() {
        return first;
    }

    Instant last() {
        return last;
    }

    @Override
    public void close() {
        if (weir != null) {
            weir.close();
        }
    }
}
