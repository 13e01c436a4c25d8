package dev.weir.engine.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each event is delivered exactly once, without waiting for listeners; a listener that throws or hangs affects no
 * other.
 */
@Timeout(300)
class EventBusTest {
    private final EventBus bus = new EventBus();
    private final CountDownLatch forever = new CountDownLatch(1);

    @AfterEach
    void close() {
        forever.countDown();
        bus.close();
    }

    @Test
    void publish_nobodyListens_isForgotten() {
        bus.publish(Events.numbered(1));

        assertThat(bus.isHeard()).isFalse();
        assertThat(bus.published()).isZero();
    }

    @Test
    void E8_publish_severalListeners_eachHearsEachEventOnceInOrder() {
        List<Event> one = Collections.synchronizedList(new ArrayList<>());
        List<Event> other = Collections.synchronizedList(new ArrayList<>());
        bus.subscribe("one", 1_000, one::add);
        bus.subscribe("other", 1_000, other::add);

        List<Event> sent = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            sent.add(Events.numbered(i));
            bus.publish(sent.get(i));
        }

        assertThat(bus.close(Duration.ofSeconds(30))).isTrue();
        assertThat(one).isEqualTo(sent);
        assertThat(other).isEqualTo(sent);
        assertThat(bus.dropped()).isZero();
    }

    @Test
    void E8_publish_manyThreads_deliveredAndDroppedAddUp() throws Exception {
        int threads = 4;
        int each = 50_000;
        ConcurrentHashMap<Long, AtomicInteger> heard = new ConcurrentHashMap<>();
        long[] lastOf = new long[threads];
        AtomicLong disorder = new AtomicLong();
        bus.subscribe("counting", 64, event -> {
            long number = ((Event.SettingsChanged) event).version();
            heard.computeIfAbsent(number, n -> new AtomicInteger()).incrementAndGet();
            int thread = (int) (number / each);
            if (number < lastOf[thread]) {
                disorder.incrementAndGet();
            }
            lastOf[thread] = number;
        });
        List<Thread> publishers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            long first = (long) t * each;
            Thread publisher = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    bus.publish(Events.numbered(first + i));
                }
            });
            publishers.add(publisher);
            publisher.start();
        }
        for (Thread publisher : publishers) {
            publisher.join();
        }

        assertThat(bus.close(Duration.ofSeconds(30))).isTrue();
        assertThat(heard.values()).allMatch(count -> count.get() == 1);
        assertThat(heard.size() + bus.dropped()).isEqualTo((long) threads * each);
        assertThat(disorder).hasValue(0);
        assertThat(bus.published()).isEqualTo((long) threads * each);
    }

    @Test
    void E8_finish_eventComesAfterTheListenersLastLook_isHeard() throws Exception {
        CountDownLatch lookedInVain = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventBuffer buffer = new EventBuffer(4) {
            @Override
            Event poll() {
                Event event = super.poll();
                if (event == null) {
                    lookedInVain.countDown();
                    awaitUninterruptibly(goOn);
                }
                return event;
            }
        };
        AtomicInteger heard = new AtomicInteger();
        Subscription subscription = new Subscription(bus, "late", buffer, event -> heard.incrementAndGet());
        subscription.start();
        lookedInVain.await();

        subscription.offer(Events.numbered(1));
        subscription.finish();
        goOn.countDown();

        assertThat(subscription.await(System.nanoTime() + Duration.ofSeconds(60).toNanos()))
                .isTrue();
        assertThat(heard).hasValue(1);
    }

    @Test
    void E8_publish_listenerHangs_othersHearAndPublishersGoOn() {
        CountDownLatch hanging = new CountDownLatch(1);
        AtomicInteger heard = new AtomicInteger();
        Subscription stuck = bus.subscribe("stuck", 10, event -> {
            hanging.countDown();
            awaitForever();
        });
        bus.subscribe("fine", 10_000, event -> heard.incrementAndGet());
        bus.publish(Events.numbered(0));
        await().until(() -> hanging.getCount() == 0);

        for (int i = 1; i <= 1_000; i++) {
            bus.publish(Events.numbered(i));
        }

        await().untilAtomic(heard, equalTo(1_001));
        assertThat(stuck.waiting()).isEqualTo(10);
        assertThat(stuck.dropped()).isEqualTo(990);
        assertThat(bus.dropped()).isEqualTo(990);
    }

    @Test
    void E8_publish_listenerThrows_hearsTheNextAndIsCounted() {
        AtomicInteger heard = new AtomicInteger();
        bus.subscribe("throwing", 100, event -> {
            heard.incrementAndGet();
            if (heard.get() % 2 == 0) {
                throw new AssertionError("an error");
            }
            throw new IllegalStateException("an exception");
        });

        for (int i = 0; i < 10; i++) {
            bus.publish(Events.numbered(i));
        }

        await().untilAtomic(heard, equalTo(10));
        await().until(() -> bus.failed() == 10);
    }

    @Test
    void publish_listenerInterruptsItself_goesOn() {
        AtomicInteger heard = new AtomicInteger();
        bus.subscribe("interrupting", 100, event -> {
            heard.incrementAndGet();
            Thread.currentThread().interrupt();
        });

        for (int i = 1; i <= 3; i++) {
            bus.publish(Events.numbered(i));
            await().untilAtomic(heard, equalTo(i));
        }
    }

    @Test
    void publish_fromAListener_isHeard() {
        AtomicInteger heard = new AtomicInteger();
        bus.subscribe("echo", 100, event -> {
            if (heard.incrementAndGet() < 5) {
                bus.publish(event);
            }
        });

        bus.publish(Events.numbered(1));

        await().untilAtomic(heard, equalTo(5));
    }

    @Test
    void close_listenerHangs_returnsByTheDeadlineAndInterruptsIt() {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        bus.subscribe("stuck", 10, event -> {
            hanging.countDown();
            try {
                forever.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        bus.publish(Events.numbered(1));
        bus.publish(Events.numbered(2));
        await().until(() -> hanging.getCount() == 0);

        assertThat(bus.close(Duration.ofMillis(20))).isFalse();

        await().until(() -> interrupted.getCount() == 0);
        assertThatThrownBy(() -> bus.subscribe("late", 1, event -> {})).isInstanceOf(IllegalStateException.class);
        bus.publish(Events.numbered(3));
    }

    @Test
    void subscription_closed_hearsNoMoreAndItsCountsStay() {
        Semaphore permits = new Semaphore(0);
        AtomicInteger heard = new AtomicInteger();
        Subscription subscription = bus.subscribe("leaving", 2, event -> {
            heard.incrementAndGet();
            permits.acquireUninterruptibly();
        });
        bus.publish(Events.numbered(1));
        await().untilAtomic(heard, equalTo(1));
        for (int i = 0; i < 5; i++) {
            bus.publish(Events.numbered(i));
        }

        subscription.close();
        subscription.close();
        permits.release(10);
        bus.publish(Events.numbered(9));

        assertThat(bus.isHeard()).isFalse();
        assertThat(bus.dropped()).isEqualTo(3);
        assertThat(heard).hasValue(1);
    }

    @Test
    void subscribe_noCapacity_isRefused() {
        assertThatThrownBy(() -> bus.subscribe("none", 0, event -> {})).hasMessageContaining("capacity is 0");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitForever() {
        try {
            forever.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
