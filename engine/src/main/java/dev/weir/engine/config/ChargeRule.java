package dev.weir.engine.config;

import java.util.List;

/**
 * Which requests a limit charges in the end, by the status of their response. Every request is charged when it arrives, so
 * that requests at the same time cannot exceed the limit; what a response of another status took is given back.
 *
 * @param statuses numbers such as {@code 401}, and classes such as {@code 4xx}; at least one
 */
public record ChargeRule(List<String> statuses) {
    public ChargeRule {
        statuses = List.copyOf(statuses);
    }

    /** Whether a request stays charged whose response has this status. */
    public boolean includes(int status) {
        return statuses.contains(Integer.toString(status)) || statuses.contains(status / 100 + "xx");
    }
}
