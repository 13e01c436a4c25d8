package dev.weir.example.hub;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a hub runs, apart from what it limits.
 *
 * @param port 0 picks a free one
 * @param dashboardSecret what the agent {@code dashboard} identifies itself by; null: it cannot
 * @param connections the most that are open at a time
 * @param patience how long it waits for what
 */
record HubOptions(String host, int port, @Nullable String dashboardSecret, int connections, Patience patience) {
    /**
     * How long the hub waits for what.
     *
     * @param request for a request to be complete, and for an agent to identify itself
     * @param heartbeat between two pings; who has not answered one by the next is gone
     * @param reading for an agent to read what it was sent
     * @param schedule between two looks at who may get work; also looked at whenever something happens
     * @param accept for an agent to accept a task
     * @param absence for an agent that has a task to come back
     */
    record Patience(
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
                new Patience(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(30)));
    }

    HubOptions withConnections(int newConnections) {
        return new HubOptions(host, port, dashboardSecret, newConnections, patience);
    }

    HubOptions withPatience(Patience newPatience) {
        return new HubOptions(host, port, dashboardSecret, connections, newPatience);
    }
}
