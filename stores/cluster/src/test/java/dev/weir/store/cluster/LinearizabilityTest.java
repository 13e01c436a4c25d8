package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.store.consensus.LogClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Recorded histories of one key, taken from and looked at on all nodes: there is an order that explains every answer.
 *
 * <p>The key is a counter that only goes down, by one for each take, and every answer tells what is left: so a take that
 * left {@code r} is the only one that did, and a look that saw {@code r} lies between two takes. An order exists if and
 * only if those positions are never against real time.
 */
@Tag("io")
class LinearizabilityTest {
    private static final Policy COUNTER = FixedWindow.of(1_000_000, Duration.ofDays(365));
    private static final Duration LONG = Duration.ofSeconds(90);

    /** @param left what was left after it */
    private record Event(long begun, long ended, long left, boolean isTake) {}

    @Test
    void history_ofOneKeyWhileTheLeaderChanges_hasAnOrder() throws InterruptedException {
        List<Event> history = new CopyOnWriteArrayList<>();
        try (LocalCluster cluster = new LocalCluster(3, LogClock.Clock.SYSTEM, null)) {
            List<Thread> threads = new ArrayList<>();
            int first = cluster.leader();
            for (int i = 0; i < 6; i++) {
                // Not on the node that will die: what becomes of its last calls nobody is told.
                ClusterStore store = cluster.node((first + 1 + i % 2) % 3).store();
                boolean takes = i % 3 != 2;
                threads.add(new Thread(() -> record(store, takes, history)));
            }
            threads.forEach(Thread::start);
            cluster.node(first).halt();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        check(history);
    }

    private static void record(ClusterStore store, boolean takes, List<Event> history) {
        List<Charge> charges = List.of(Charge.of(Key.of("counter"), COUNTER));
        for (int i = 0; i < 250; i++) {
            long begun = System.nanoTime();
            Decision decision = (takes ? store.consume(charges) : store.peek(charges)).await(LONG);
            history.add(new Event(begun, System.nanoTime(), decision.reading(0).remaining(), takes));
        }
    }

    private static void check(List<Event> history) {
        List<Event> takes = history.stream()
                .filter(Event::isTake)
                .sorted(Comparator.comparingLong(Event::left).reversed())
                .toList();
        for (int i = 0; i < takes.size(); i++) {
            assertThat(takes.get(i).left).as("each take counted once").isEqualTo(COUNTER.capacity() - 1 - i);
        }
        // In the order of what was left, takes before looks: nothing may begin after something later has ended.
        List<Event> order = history.stream()
                .sorted(Comparator.comparingLong(Event::left).reversed().thenComparing(event -> event.isTake ? 0 : 1))
                .toList();
        long earliestEnd = Long.MAX_VALUE;
        for (int i = order.size() - 1; i >= 0; i--) {
            Event event = order.get(i);
            assertThat(event.begun).as("%s", event).isLessThanOrEqualTo(earliestEnd);
            earliestEnd = Math.min(earliestEnd, event.ended);
        }
        assertThat(history).hasSize(1_500);
    }
}
