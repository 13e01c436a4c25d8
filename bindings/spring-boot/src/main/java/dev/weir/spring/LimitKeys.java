package dev.weir.spring;

import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.MissingPolicy;
import java.util.List;
import java.util.Map;

/**
 * The keys of an element of {@code weir.limits}, for editors that complete them: the configuration metadata names this type.
 * Nothing is bound to it; limits are read in Weir's own language.
 *
 * @param name what answers and metrics call it; unique
 * @param match to which requests it applies: attributes and their values
 * @param per whose budget: one for every combination of these attributes
 * @param by the attribute that chooses the row of rate, burst and cost
 * @param rate how many in what time, such as 60/min, several of those, or rows chosen by 'by'
 * @param algorithm how it counts
 * @param burst a token bucket's capacity
 * @param cost what a request costs: a number, an attribute's name, or rows
 * @param charge which responses are charged, by their status, such as on-status 401
 * @param warn the share used at which a warning is given, such as 80%
 * @param shadow whether it only reports what it would refuse
 * @param onStoreFailure what it answers when the store cannot
 * @param onMissing what it answers to requests that lack an attribute of its key
 * @param scope how answers call the kind of budget
 * @param calendar the time zone with whose minute, hour, day, week or month a fixed window turns
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
