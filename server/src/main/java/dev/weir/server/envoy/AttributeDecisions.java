package dev.weir.server.envoy;

import dev.weir.Answer;
import dev.weir.Policy;
import dev.weir.engine.CombinedCheck;
import dev.weir.engine.CombinedCheck.Counting;
import dev.weir.engine.CombinedCheck.Part;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.remote.Answers;
import dev.weir.server.envoy.RateLimitQuery.Descriptor;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides by Weir's own configuration: the entries of a descriptor are attributes, and every limit that matches them
 * applies. All descriptors of a request are decided in one atomic step. A limit that a descriptor brings itself is
 * ignored. If the store does not answer in time, {@code on-store-failure} of the limits decides.
 */
final class AttributeDecisions implements RateLimitDecisions {
    private final Weir weir;
    private final ReplyOptions options;

    AttributeDecisions(Weir weir, ReplyOptions options) {
        this.weir = weir;
        this.options = options;
    }

    @Override
    public Answer<RateLimitReply> decide(RateLimitQuery query) {
        List<Part> parts = new ArrayList<>(query.descriptors().size());
        for (Descriptor descriptor : query.descriptors()) {
            long hits = hits(query, descriptor);
            Map<String, String> attributes = EnvoyAttributes.of(query.domain(), descriptor.entries());
            Request request = new Request(attributes, Math.max(1, hits), Map.of());
            parts.add(new Part(request, null, null, hits == 0));
        }
        return Answers.map(weir.checkTogether(parts, Counting.ALL_OR_NOTHING), result -> reply(query, result));
    }

    private static long hits(RateLimitQuery query, Descriptor descriptor) {
        Long own = descriptor.hits();
        long hits = own == null ? query.hits() : own;
        return hits < 0 ? Policy.MAX_COUNT : Math.min(hits, Policy.MAX_COUNT);
    }

    private RateLimitReply reply(RateLimitQuery query, CombinedCheck.Result result) {
        ReplyBuilder reply = new ReplyBuilder(options);
        // Without results of limits a penalty or the failure of the store has decided, for all descriptors alike.
        boolean isUnexplained =
                !result.outcome().allowed() && result.limits().stream().allMatch(List::isEmpty);
        for (int i = 0; i < query.descriptors().size(); i++) {
            boolean isReadOnly = hits(query, query.descriptors().get(i)) == 0;
            LimitResult told = isUnexplained ? null : decisive(result.limits().get(i), isReadOnly);
            reply.add(
                    told == null
                            ? new DescriptorStatus(!isUnexplained, null, 0, 0)
                            : new DescriptorStatus(
                                    told.allowed() || isReadOnly,
                                    new CurrentLimit(told.capacity(), unit(told.window()), told.name()),
                                    told.remaining(),
                                    told.resetAfter().toMillis()));
        }
        return reply.build();
    }

    /** The first limit that refuses, else the one with the least left; null if none applied. */
    private static @Nullable LimitResult decisive(List<LimitResult> limits, boolean isReadOnly) {
        LimitResult tightest = null;
        for (LimitResult limit : limits) {
            if (limit.shadow()) {
                continue;
            }
            if (!limit.allowed() && !isReadOnly) {
                return limit;
            }
            tightest = tightest == null || limit.remaining() < tightest.remaining() ? limit : tightest;
        }
        return tightest;
    }

    private static @Nullable Unit unit(Duration window) {
        for (Unit unit : Unit.values()) {
            if (window.equals(Duration.ofSeconds(unit.seconds()))) {
                return unit;
            }
        }
        return null;
    }

    /** The names of the active limits, a line each: Weir's configuration itself may contain secrets. */
    @Override
    public String configurationText() {
        StringBuilder text = new StringBuilder();
        weir.configuration()
                .limits()
                .forEach(limit -> text.append(limit.name())
                        .append(": ")
                        .append(limit.rates())
                        .append('\n'));
        return text.toString();
    }
}
