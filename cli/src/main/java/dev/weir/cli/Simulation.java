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
 * Decides what a log tells of as if it happened now, by the log's own time and without any other effect: the engine and
 * the memory store are the real ones, no alarm is raised, nothing is kept.
 */
final class Simulation implements AutoCloseable {
    /** How many different subjects are told apart; the counts of limits go on beyond. */
    private static final int MOST_SUBJECTS = 100_000;

    /** A damaged line must not carry the clock to its end. */
    private static final Duration LONGEST = Duration.ofDays(3_650);

    private final Configuration configuration;
    private final Map<String, String> constants;
    private final LogTime time = new LogTime();
    private final Map<String, LimitTally> limits = new LinkedHashMap<>();
    private final Map<String, Long> subjects = new HashMap<>();
    private long allowed;
    private long refused;
    private long unlimited;
    private @Nullable Instant first;
    private Instant last = Instant.MIN;
    /** Made with the first request, as the store's time begins when it is made. */
    private @Nullable Weir weir;

    /** What became of the requests that a limit applied to. */
    static final class LimitTally {
        final boolean isShadow;
        long asked;
        long refused;

        @Nullable
        Instant firstRefusal;

        LimitTally(boolean isShadow) {
            this.isShadow = isShadow;
        }
    }

    /** The time of the line that is being read. A log is not quite in order: the store counts a step back as no time. */
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

    /** @param constants attributes of every request that its line does not tell */
    Simulation(Configuration configuration, Map<String, String> constants) {
        this.configuration = configuration.withStore("memory").withoutAlerts();
        this.constants = constants;
        for (LimitRule limit : configuration.limits()) {
            limits.put(limit.name(), new LimitTally(limit.shadow()));
        }
    }

    /**
     * Decides one request.
     *
     * @throws IllegalArgumentException if its attributes are none that an engine takes, or its time is far from the first
     */
    void add(Visit visit) {
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
        LimitTally tally = limits.get(result.name());
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

    Map<String, LimitTally> limits() {
        return limits;
    }

    /** Those who were refused most, and how often. */
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

    /** How many requests no limit applied to. */
    long unlimited() {
        return unlimited;
    }

    /** When the first request came; null when none did. */
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
