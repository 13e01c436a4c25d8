package dev.weir.spring;

import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.MissingPolicy;
import java.util.List;
import java.util.Map;

/**
 * The keys of an element of {@code weir.limits}, for completion in editors: the configuration metadata refers to this
 * type. Nothing is bound to it; the configuration reader reads limits.
 *
 * @param name its name in responses and metrics; unique
 * @param match the requests to which it applies: attributes and their values
 * @param per the owner of a budget: one budget for every combination of these attributes
 * @param by the attribute that chooses the row of rate, burst and cost
 * @param rate how many in what time, such as 60/min, several of those, or rows chosen by 'by'
 * @param algorithm the counting algorithm
 * @param burst a token bucket's capacity
 * @param cost the cost of a request: a number, an attribute's name, or rows
 * @param charge which responses are charged, by their status, such as on-status 401
 * @param warn the used share at which a warning is given, such as 80%
 * @param shadow whether it only reports what it would refuse
 * @param onStoreFailure its decision when the store fails
 * @param onMissing its decision on requests that lack an attribute of its key
 * @param scope the name of the kind of budget in responses
 * @param calendar the time zone of the minute, hour, day, week or month with which a fixed window starts
 */
public record LimitKeys(
        String name,
        Map<String, Object> match,
        List<String> per,
        String by,
        Object rate,
        Algorithm algorithm,
        Object burst,
        Object cost,
        Object charge,
        String warn,
        boolean shadow,
        FailurePolicy onStoreFailure,
        MissingPolicy onMissing,
        String scope,
        String calendar) {}
