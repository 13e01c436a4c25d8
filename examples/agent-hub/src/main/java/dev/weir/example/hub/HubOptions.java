package dev.weir.example.hub;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a hub, apart from its limits.
 *
 * @param port 0 picks a free port
 * @param dashboardSecret the secret of the agent {@code dashboard}; null disables that agent
 * @param connections the most open connections
 * @param timeouts the timeouts
 */
record HubOptions(String host, int port, @Nullable String dashboardSecret, int connections, Timeouts timeouts) {
    /**
     * The timeouts of a hub.
     *
     * @param request for a request to be complete, and for an agent to identify itself
     * @param heartbeat between two pings; an agent that has not replied to one by the next is disconnected
     * @param reading for an agent to read its frames
     * @param schedule between two passes of the scheduler; events trigger a pass, too
     * @param accept for an agent to accept a task
     * @param absence for a disconnected agent that has a task to come back
     */
    record Timeouts(
            Duration request,
            Duration heartbeat,
            Duration reading,
            Duration schedule,
            Duration accept,
            Duration absence) {}

    static HubOptions at(String host, int port, @Nullable String dashboardSecret) {
        return new HubOptions(
                host,
                port,
                dashboardSecret,
                1000,
                new Timeouts(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(30)));
    }

    HubOptions withConnections(int newConnections) {
        return new HubOptions(host, port, dashboardSecret, newConnections, timeouts);
    }

    HubOptions withTimeouts(Timeouts newTimeouts) {
        return new HubOptions(host, port, dashboardSecret, connections, newTimeouts);
    }
}
