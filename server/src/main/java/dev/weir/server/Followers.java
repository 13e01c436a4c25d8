package dev.weir.server;

import java.util.HashMap;
import java.util.Map;

/** How many clients follow the events: a bound for all together, and one for each address so that nobody takes all. */
final class Followers {
    private static final int SHARE_OF_ONE = 5;

    private final int most;
    private final int mostOfOne;
    /** Guarded by this. */
    private final Map<String, Integer> byClient = new HashMap<>();
    /** Guarded by this. */
    private int count;

    Followers(int most) {
        this.most = most;
        this.mostOfOne = Math.max(1, most / SHARE_OF_ONE);
    }

    /** Lets one more follow; each that was let in must {@link #leave}. */
    synchronized void enter(String client) {
        int own = byClient.getOrDefault(client, 0);
        if (count >= most) {
            throw Problem.of(503, "unavailable", "too many follow the events already");
        }
        if (own >= mostOfOne) {
            throw Problem.of(
                    503, "unavailable", "this address follows the events " + own + " times already, which is the most");
        }
        byClient.put(client, own + 1);
        count++;
    }

    synchronized void leave(String client) {
        count--;
        byClient.computeIfPresent(client, (key, own) -> own == 1 ? null : own - 1);
    }

    synchronized int count() {
        return count;
    }
}
