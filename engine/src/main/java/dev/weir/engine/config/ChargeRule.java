package dev.weir.engine.config;

import java.util.List;

/**
 * The statuses of responses for which a limit charges. Every request is charged when it arrives, so that concurrent
 * requests cannot exceed the limit. The charge is refunded if the response has another status.
 *
 * @param statuses numbers such as {@code 401}, and classes such as {@code 4xx}; at least one
 */
public record ChargeRule(List<String> statuses) {
    public ChargeRule {
        statuses = List.copyOf(statuses);
    }

    /** Whether a request stays charged if its response has this status. */
    public boolean includes(int status) {
        return statuses.contains(Integer.toString(status)) || statuses.contains(status / 100 + "xx");
    }
}
