package dev.weir.spring.actuate;

import dev.weir.StoreException;
import dev.weir.engine.LimitCounts;
import dev.weir.engine.LimitResult;
import dev.weir.engine.SkippedLimit;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.http.HttpDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The actuator endpoint. {@code /actuator/weir} shows the limits, how often they refused, which of them never applied,
 * the store and whether it answers. {@code /actuator/weir/user/ann} shows the state of each limit for a subject, and
 * spends nothing.
 */
@Endpoint(id = "weir")
public final class WeirEndpoint {
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(10);

    private final Weir weir;

    WeirEndpoint(Weir weir) {
        this.weir = weir;
    }

    /** Returns the overview. It has maps and lists only, as the application chooses the JSON library. */
    @ReadOperation
    public Map<String, Object> overview() {
        Configuration configuration = weir.configuration();
        Map<String, LimitCounts> counts = new LinkedHashMap<>();
        weir.counts().limits().forEach(limit -> counts.put(limit.limit(), limit));
        List<Map<String, Object>> limits = new ArrayList<>();
        for (LimitRule rule : configuration.limits()) {
            limits.add(limit(rule, counts.get(rule.name())));
        }
        return Map.of(
                "enabled",
                configuration.enabled(),
                "store",
                StoreState.of(weir).details(),
                "limits",
                limits,
                "neverApplied",
                weir.skippedLimits().stream().map(WeirEndpoint::neverApplied).toList());
    }

    /** Returns the state of each limit that applies to this subject. */
    @ReadOperation
    public Map<String, Object> subject(@Selector String attribute, @Selector String value) {
        try {
            return Map.of(
                    "limits",
                    weir.statusAsync(Map.of(attribute, value)).await(STORE_TIMEOUT).stream()
                            .map(WeirEndpoint::budget)
                            .toList());
        } catch (StoreException e) {
            return Map.of("error", "the store does not answer");
        } catch (IllegalArgumentException e) {
            return Map.of("error", String.valueOf(e.getMessage()));
        }
    }

    private static Map<String, Object> limit(LimitRule rule, @Nullable LimitCounts counts) {
        Map<String, Object> limit = new LinkedHashMap<>();
        limit.put("name", rule.name());
        limit.put("algorithm", rule.algorithm().text());
        limit.put("per", rule.per().stream().map(part -> String.join("|", part)).toList());
        Map<String, Object> rates = new LinkedHashMap<>();
        rule.rates()
                .forEach((row, all) ->
                        rates.put(row, all.stream().map(Rate::toString).toList()));
        limit.put("rates", rates);
        limit.put("shadow", rule.shadow());
        limit.put("onMissing", rule.onMissing().text());
        limit.put("onStoreFailure", rule.onStoreFailure().name().toLowerCase(Locale.ROOT));
        limit.put("allowed", counts == null ? 0 : counts.allowed());
        limit.put("denied", counts == null ? 0 : counts.denied());
        limit.put("shadowDenied", counts == null ? 0 : counts.shadowDenied());
        return limit;
    }

    private static Map<String, Object> neverApplied(SkippedLimit skipped) {
        Map<String, Object> limit = new LinkedHashMap<>();
        limit.put("limit", skipped.limit());
        limit.put("missing", skipped.missing());
        limit.put("carried", skipped.carried());
        if (skipped.similar() != null) {
            limit.put("similar", skipped.similar());
        }
        limit.put("skipped", skipped.skipped());
        limit.put("since", skipped.since().toString());
        return limit;
    }

    private static Map<String, Object> budget(LimitResult result) {
        Map<String, Object> budget = new LinkedHashMap<>();
        budget.put("name", result.name());
        budget.put("scope", result.scope());
        budget.put("capacity", result.capacity());
        budget.put("remaining", Math.max(0, result.remaining()));
        budget.put("resetAfterSeconds", HttpDecision.wholeSeconds(result.resetAfter()));
        return budget;
    }
}
