package dev.weir.cli.simulation;

import dev.weir.cli.log.AttributeMap;
import dev.weir.cli.log.LoggedRequest;
import dev.weir.cli.simulation.LimitUse.KeyUse;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides the requests of a log with the log's own time. It uses the real engine and memory store, but publishes no
 * alert and keeps nothing. Its memory is bounded: beyond half a million identities only the totals are counted. Not
 * thread-safe.
 */
public final class Simulation implements AutoCloseable {
    /** How many identities are counted separately, over all limits. */
    private static final int MOST_KEYS = 500_000;

    private final Configuration configuration;
    private final AttributeMap constants;
    private final LogTime time = new LogTime();
    private final Map<String, LimitUse> limits = new LinkedHashMap<>();
    private final HourCounts hours = new HourCounts();
    private long keys;
    private long allowed;
    private long refused;
    private long penalized;
    private long unlimited;
    private long rejected;
    private long firstMicros;
    private long lastMicros;
    private boolean isEnded;
    /** Created with the first request, because the store's time begins at its creation; null before. */
    private @Nullable Weir weir;

    /** The time of the current request. */
    private static final class LogTime implements TimeSource {
        private long micros;

        @Override
        public long nanos() {
            return micros * 1_000;
        }

        @Override
        public long epochMillis() {
            return Math.floorDiv(micros, 1_000L);
        }

        Instant instant() {
            return LoggedRequest.instant(micros);
        }
    }

    /** An identity and how often it was refused. */
    public record Refused(String identity, long times) {}

    /** @param constants attributes added to every request whose line does not have them */
    public Simulation(Configuration configuration, Map<String, String> constants) {
        this.configuration = configuration.withStore("memory").withoutAlerts();
        this.constants = AttributeMap.copyOf(constants);
        for (LimitRule limit : configuration.limits()) {
            limits.put(limit.name(), new LimitUse(limit));
        }
    }

    /**
     * Decides one request, which must not be earlier than the one before.
     *
     * @return the identity that was refused; null if the request was allowed
     */
    public @Nullable String add(LoggedRequest logged) {
        long now = logged.atMicros();
        AttributeMap attributes = logged.attributes().orElse(constants);
        Outcome outcome;
        try {
            time.micros = now;
            outcome = weir().check(Request.of(attributes));
        } catch (IllegalArgumentException e) {
            // A request that the engine refuses to decide, such as one with an ambiguous path.
            rejected++;
            return null;
        }
        firstMicros = allowed + refused + unlimited == 0 ? now : firstMicros;
        lastMicros = now;
        hours.ask(now);
        if (outcome.isUntouched()) {
            unlimited++;
            return null;
        }
        return outcome.allowed() ? countAllowed(outcome, attributes, now) : countRefused(outcome, attributes, now);
    }

    private @Nullable String countAllowed(Outcome outcome, AttributeMap attributes, long now) {
        allowed++;
        List<LimitResult> results = outcome.limits();
        for (int i = 0; i < results.size(); i++) {
            count(results.get(i), outcome, attributes, now);
        }
        return null;
    }

    private String countRefused(Outcome outcome, AttributeMap attributes, long now) {
        refused++;
        hours.refuse(now);
        LimitResult decisive = outcome.decisive();
        if (decisive == null) {
            penalized++;
            return "(penalty)";
        }
        for (LimitResult result : outcome.limits()) {
            KeyUse use = count(result, outcome, attributes, now);
            if (use != null && result.name().equals(decisive.name())) {
                use.decisive++;
            }
        }
        return identity(decisive, outcome, attributes);
    }

    private @Nullable KeyUse count(LimitResult result, Outcome outcome, AttributeMap attributes, long now) {
        LimitUse use = limits.get(result.name());
        if (use == null) {
            return null;
        }
        String key = isSimple(use.rule())
                ? value(result.keyedBy().get(0), outcome, attributes)
                : identity(result, outcome, attributes);
        long before = use.identities();
        KeyUse counted = use.add(result, key, now, keys < MOST_KEYS);
        keys += use.identities() - before;
        return counted;
    }

    /** Whether a key of this limit is the value of one attribute, always the same. */
    private static boolean isSimple(LimitRule rule) {
        return rule.per().size() == 1 && rule.per().get(0).size() == 1;
    }

    private String identity(LimitResult result, Outcome outcome, AttributeMap attributes) {
        if (result.keyedBy().isEmpty()) {
            return "(everybody)";
        }
        return result.keyedBy().stream()
                .map(name -> name + "=" + value(name, outcome, attributes))
                .collect(Collectors.joining(" "));
    }

    private String value(String name, Outcome outcome, AttributeMap attributes) {
        String known = attributes.get(name);
        if (known == null) {
            known = outcome.derived().get(name);
        } else if (name.equals("ip") && known.indexOf(':') >= 0) {
            known = weir().clients().identity(known);
        }
        return known == null ? configuration.defaults().getOrDefault(name, "?") : known;
    }

    private Weir weir() {
        Weir present = weir;
        if (present == null) {
            present = Weir.of(
                    configuration,
                    MemoryStore.create(MemoryStoreOptions.defaults().timeSource(time)),
                    new InMemorySettings(),
                    WeirOptions.defaults().withClock(time::instant));
            weir = present;
        }
        return present;
    }

    /** Completes the distributions, once all requests were added. */
    public Simulation end() {
        if (!isEnded) {
            isEnded = true;
            limits.values().forEach(LimitUse::end);
        }
        return this;
    }

    public Configuration configuration() {
        return configuration;
    }

    /** The limits, in the order of the configuration. */
    public Collection<LimitUse> limits() {
        return limits.values();
    }

    /** The identities refused most, with the number of refusals that the identity's limit decided. */
    public List<Refused> mostRefused(int count) {
        PriorityQueue<Refused> most = new PriorityQueue<>(
                Comparator.comparingLong(Refused::times).thenComparing(Refused::identity, Comparator.reverseOrder()));
        Map<String, Long> byIdentity = new LinkedHashMap<>();
        for (LimitUse limit : limits.values()) {
            String prefix = isSimple(limit.rule()) ? limit.rule().per().get(0).get(0) + "=" : "";
            limit.keys().forEach((key, use) -> {
                if (use.decisive > 0) {
                    byIdentity.merge(prefix + key, use.decisive, Long::sum);
                }
            });
        }
        if (penalized > 0) {
            byIdentity.put("(penalty)", penalized);
        }
        byIdentity.forEach((identity, times) -> {
            most.add(new Refused(identity, times));
            if (most.size() > count) {
                most.poll();
            }
        });
        List<Refused> sorted = new ArrayList<>(most);
        sorted.sort(Comparator.comparingLong(Refused::times).reversed().thenComparing(Refused::identity));
        return sorted;
    }

    /** Requests and refusals by hour. */
    public HourCounts hours() {
        return hours;
    }

    public long requests() {
        return allowed + refused + unlimited;
    }

    public long allowed() {
        return allowed;
    }

    public long refused() {
        return refused;
    }

    /** The number of refusals by a penalty alone. */
    public long penalized() {
        return penalized;
    }

    /** The number of requests to which no limit applied. */
    public long unlimited() {
        return unlimited;
    }

    /** The number of requests that the engine does not decide, such as those with an ambiguous path. */
    public long rejected() {
        return rejected;
    }

    /** The time of the first request; null if there was none. */
    public @Nullable Instant first() {
        return requests() == 0 ? null : LoggedRequest.instant(firstMicros);
    }

    /** The time of the last request; null if there was none. */
    public @Nullable Instant last() {
        return requests() == 0 ? null : LoggedRequest.instant(lastMicros);
    }

    @Override
    public void close() {
        if (weir != null) {
            weir.close();
        }
    }
}
