package dev.weir.server.envoy;

import dev.weir.Answer;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.engine.CombinedCheck;
import dev.weir.engine.CombinedCheck.Counting;
import dev.weir.engine.CombinedCheck.Part;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Reason;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Rate;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.server.envoy.EnvoyConfiguration.Match;
import dev.weir.server.envoy.RateLimitQuery.Descriptor;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides by Envoy's own files. All descriptors of a request that spend are decided in one atomic step, unless {@link
 * ReplyOptions#strict}.
 *
 * <p>If the store does not answer in time, the answer fails with a {@link StoreException}, as the original service
 * returns an error: the proxy's {@code failure_mode_deny} decides.
 */
final class EnvoyDecisions implements RateLimitDecisions {
    /** What an unlimited descriptor has left. */
    private static final long UNLIMITED = 0xFFFF_FFFFL;

    /**
     * The most different limits that descriptors bring themselves. A store keeps every policy that it has seen, so
     * without this bound clients could fill its memory.
     */
    static final int MOST_OVERRIDES = 10_000;

    private static final long MILLIS = 1_000;

    private final Weir weir;
    private final ReplyOptions options;
    private final EnvoyStatistics statistics;
    private final InstantSource clock;
    private final Set<RateLimitQuery.Override> overrides = ConcurrentHashMap.newKeySet();
    private volatile EnvoyConfiguration configuration;

    EnvoyDecisions(
            Weir weir,
            EnvoyConfiguration configuration,
            ReplyOptions options,
            EnvoyStatistics statistics,
            InstantSource clock) {
        this.weir = weir;
        this.configuration = configuration;
        this.options = options;
        this.statistics = statistics;
        this.clock = clock;
    }

    /** What is known of one descriptor before the store is called. */
    private static final class Candidate {
        final Descriptor descriptor;
        final long hits;

        @Nullable
        Match match;

        boolean isUnlimited;
        boolean isReplaced;
        /** The result of its limit; null if none applies. */
        @Nullable
        LimitResult result;

        Candidate(Descriptor descriptor, long hits) {
            this.descriptor = descriptor;
            this.hits = hits;
        }

        boolean hasLimit() {
            return descriptor.override() != null ? !isReplaced : match != null && !isUnlimited && !isReplaced;
        }
    }

    @Override
    public Answer<RateLimitReply> decide(RateLimitQuery query) {
        EnvoyConfiguration present = configuration;
        try {
            return decide(query, present);
        } catch (IllegalArgumentException e) {
            EnvoyConfiguration reloaded = awaitReload(present, e);
            return decide(query, reloaded);
        }
    }

    /**
     * Replaces the configuration.
     *
     * @throws IllegalArgumentException if the engine refuses it; nothing changed
     */
    synchronized void replace(EnvoyConfiguration next) {
        weir.reconfigure(EnvoyLimits.configuration(next, weir.configuration().store()));
        configuration = next;
    }

    /**
     * The configuration after a reload that is under way. The engine has the new limits a moment before this object
     * does; a request in between names a limit that is gone.
     */
    private synchronized EnvoyConfiguration awaitReload(EnvoyConfiguration before, IllegalArgumentException failure) {
        if (configuration == before) {
            throw failure;
        }
        return configuration;
    }

    private Answer<RateLimitReply> decide(RateLimitQuery query, EnvoyConfiguration present) {
        List<Candidate> candidates = candidates(query, present);
        List<Part> parts = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            if (candidate.hasLimit()) {
                parts.add(part(query.domain(), candidate));
            }
        }
        Counting counting = options.strict() ? Counting.EACH_ALWAYS : Counting.ALL_OR_NOTHING;
        return Answers.then(weir.checkTogether(parts, counting), result -> reply(query.domain(), candidates, result));
    }

    private List<Candidate> candidates(RateLimitQuery query, EnvoyConfiguration present) {
        boolean isKnown = present.hasDomain(query.domain());
        if (!isKnown) {
            statistics.domainNotFound(query.descriptors().size());
        }
        List<Candidate> candidates = new ArrayList<>(query.descriptors().size());
        Set<String> replaced = new HashSet<>();
        for (Descriptor descriptor : query.descriptors()) {
            Long own = descriptor.hits();
            RateLimitQuery.Override override = descriptor.override();
            Candidate candidate = new Candidate(descriptor, bounded(own == null ? query.hits() : own));
            candidates.add(candidate);
            if (!isKnown) {
                candidate.isReplaced = true;
            } else if (override == null) {
                Match match = present.match(query.domain(), descriptor.entries());
                candidate.match = match;
                if (match != null) {
                    candidate.isUnlimited = match.limit().isUnlimited();
                    replaced.addAll(match.limit().replaces());
                }
            } else {
                checkNumber(override);
            }
        }
        for (Candidate candidate : candidates) {
            Match match = candidate.match;
            if (match != null
                    && !candidate.isUnlimited
                    && replaced.contains(match.limit().name())) {
                candidate.isReplaced = true;
            }
        }
        return candidates;
    }

    private void checkNumber(RateLimitQuery.Override override) {
        boolean isKnown = overrides.contains(override);
        if (!isKnown && overrides.size() >= MOST_OVERRIDES) {
            throw new IllegalArgumentException("the limit of a descriptor is " + override.requestsPerUnit() + " per "
                    + override.unit() + "; requests had " + MOST_OVERRIDES
                    + " other limits already, and there may be no more: use some of those");
        }
        if (!isKnown) {
            overrides.add(override);
        }
    }

    /** A cost that the engine accepts; what is above can never fit. */
    private static long bounded(long hits) {
        return hits < 0 ? Policy.MAX_COUNT : Math.min(hits, Policy.MAX_COUNT);
    }

    private Part part(String domain, Candidate candidate) {
        Descriptor descriptor = candidate.descriptor;
        RateLimitQuery.Override override = descriptor.override();
        Match match = candidate.match;
        Map<String, String> attributes = new HashMap<>();
        attributes.put(EnvoyAttributes.DOMAIN, domain);
        attributes.put(
                EnvoyAttributes.ENTRIES, EntriesText.of(match == null ? descriptor.entries() : match.keyEntries()));
        Unit unit = unit(candidate);
        if (EnvoyLimits.isNumbered(unit)) {
            attributes.put(
                    EnvoyAttributes.WINDOW, Long.toString(Math.floorDiv(clock.millis() / MILLIS, unit.seconds())));
        }
        Rate rate = override == null ? null : EnvoyLimits.rate(override.requestsPerUnit(), unit);
        String limit = EnvoyLimits.isNumbered(unit) ? EnvoyLimits.LONG_OVERRIDE : EnvoyLimits.OVERRIDE;
        if (match != null) {
            attributes.put(EnvoyAttributes.DESCRIPTOR, match.limit().keys());
            limit = match.limit().limit();
        }
        // A cost of 1 stands for none: such a part spends nothing.
        Request request = new Request(attributes, Math.max(1, candidate.hits), Map.of());
        return new Part(request, limit, rate, candidate.hits == 0);
    }

    private static Unit unit(Candidate candidate) {
        RateLimitQuery.Override override = candidate.descriptor.override();
        Match match = candidate.match;
        Unit unit = override != null
                ? override.unit()
                : match == null ? null : match.limit().unit();
        return Objects.requireNonNull(unit, "a limited descriptor has a unit");
    }

    private Answer<RateLimitReply> reply(String domain, List<Candidate> candidates, CombinedCheck.Result result) {
        if (result.outcome().reason() == Reason.UNAVAILABLE) {
            statistics.storeFailed();
            return Promise.failed(new StoreException("the store did not answer in time", true, null));
        }
        int next = 0;
        ReplyBuilder reply = new ReplyBuilder(options);
        for (Candidate candidate : candidates) {
            if (candidate.hasLimit()) {
                List<LimitResult> own = result.limits().get(next++);
                candidate.result = own.isEmpty() ? null : own.get(0);
            }
            Match match = candidate.match;
            DescriptorStatus status = status(candidate);
            if (match != null && match.limit().quota() && candidate.result != null) {
                reply.addQuota(status);
            } else {
                reply.add(status);
            }
            count(domain, candidate, result.outcome().allowed() || options.strict());
        }
        if (options.shadow() && reply.isOverLimit()) {
            statistics.shadowed();
        }
        return Answer.of(reply.build());
    }

    private DescriptorStatus status(Candidate candidate) {
        LimitResult result = candidate.result;
        if (result == null) {
            return new DescriptorStatus(true, null, candidate.isUnlimited ? UNLIMITED : 0, 0);
        }
        Unit unit = unit(candidate);
        boolean isOver = isOver(candidate, result);
        Match match = candidate.match;
        RateLimitQuery.Override override = candidate.descriptor.override();
        boolean isShadow = match != null && match.limit().shadow();
        long requests = override != null
                ? override.requestsPerUnit()
                : match == null ? 0 : match.limit().requestsPerUnit();
        return new DescriptorStatus(
                !isOver || isShadow,
                new CurrentLimit(
                        requests, unit, match == null ? null : match.limit().name()),
                isOver && options.strict() ? 0 : Math.min(result.remaining(), requests),
                resetMillis(unit));
    }

    /** Whether the limit refuses. A descriptor that only reads is over the limit when the count is. */
    private boolean isOver(Candidate candidate, LimitResult result) {
        return !result.allowed() && (candidate.hits > 0 || options.strict());
    }

    /** How long until the window ends, in full seconds, rounded up. */
    private long resetMillis(Unit unit) {
        return MILLIS * (unit.seconds() - Math.floorMod(clock.millis() / MILLIS, unit.seconds()));
    }

    /** @param spends whether what fits was spent */
    private void count(String domain, Candidate candidate, boolean spends) {
        LimitResult result = candidate.result;
        if (result == null) {
            return;
        }
        Match match = candidate.match;
        EnvoyStatistics.Counters counters =
                match == null ? statistics.ofOverride(domain, candidate.descriptor.entries()) : statistics.of(match);
        boolean isOver = isOver(candidate, result);
        long spent = spends && result.allowed() ? candidate.hits : 0;
        long before = Math.max(0, result.capacity() - result.remaining() - spent);
        counters.count(
                candidate.hits,
                before,
                result.capacity(),
                isOver,
                match != null && match.limit().shadow());
    }

    @Override
    public void countInvalid() {
        statistics.requestInvalid();
    }

    @Override
    public String configurationText() {
        return new EnvoyDump(configuration).text();
    }
}
