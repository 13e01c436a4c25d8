package dev.weir.server.http;

import dev.weir.server.ClientCap;

/** Caps the number of clients that follow events: in total, and per address so that one client does not take all. */
public final class EventStreamCap {
    private static final int SHARE_OF_ONE = 5;

    private final int most;
    private final ClientCap<String> cap;

    public EventStreamCap(int most) {
        this.most = most;
        this.cap = new ClientCap<>(most, Math.max(1, most / SHARE_OF_ONE));
    }

    /** Admits one more client, or throws. Each admitted client must {@link #leave}. */
    public void enter(String client) {
        if (!cap.tryHold(client, 1)) {
            throw ProblemException.of(
                    503,
                    "unavailable",
                    cap.held() >= most
                            ? "too many event streams are open"
                            : "this address has " + cap.heldBy(client) + " event streams open, which is the maximum");
        }
    }

    public void leave(String client) {
        cap.release(client, 1);
    }

    public int count() {
        return (int) cap.held();
    }
}
