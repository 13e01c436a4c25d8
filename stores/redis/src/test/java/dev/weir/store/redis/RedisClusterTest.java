package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.fixture.RedisProcess;
import dev.weir.store.scripted.KeyName;
import dev.weir.store.scripted.KeyNames;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis Cluster: the nodes of keys, and masters that move or fail. */
@Tag("io")
class RedisClusterTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final Policy POLICY = TokenBucket.of(1_000, 1, Duration.ofDays(365));

    @Test
    void name_ofAHostileId_isInTheSlotOfOurTag() {
        KeyNames names = new KeyNames("weir");
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            for (String id : List.of("{user}" + i, i + "}{x}", "{}" + i, "a{b}c" + i)) {
                KeyName name = names.budget(Key.of("limit", id));
                String text = new String(name.bytes(), StandardCharsets.UTF_8);
                assertThat(text.substring(text.indexOf('}') + 1))
                        .doesNotContain("{")
                        .doesNotContain("}");
                assertThat(SlotHash.getSlot(name.bytes()))
                        .isEqualTo(SlotHash.getSlot(String.format("%02x", name.tag())));
                slots.add(name.tag());
            }
        }
        assertThat(slots).hasSizeGreaterThan(200);
        assertThat(names.budget(Key.of("general", "u1")).tag())
                .isEqualTo(names.budget(Key.of("exports", "u1")).tag());
    }

    @Test
    void consume_whileASlotMoves_followsIt() {
        try (RedisTopologies.Cluster cluster = RedisTopologies.cluster(0);
                RedisStore store = RedisStore.open(cluster.options().withTimeout(Duration.ofSeconds(5)))) {
            Key key = Key.of("moving", "u1");
            byte[] name = store.names().budget(key).bytes();
            int slot = SlotHash.getSlot(name);
            assertThat(remaining(store, key)).isEqualTo(999);
            int from = slot < 5461 ? 0 : slot < 10923 ? 1 : 2;
            RedisProcess source = cluster.nodes().get(from);
            RedisProcess target = cluster.nodes().get((from + 1) % 3);
            String sourceId = RedisTopologies.ask(source, redis -> redis.clusterMyId());
            String targetId = RedisTopologies.ask(target, redis -> redis.clusterMyId());
            RedisTopologies.ask(target, redis -> redis.clusterSetSlotImporting(slot, sourceId));
            RedisTopologies.ask(source, redis -> redis.clusterSetSlotMigrating(slot, targetId));
            assertThat(remaining(store, key)).isEqualTo(998);
            List<String> keys = RedisTopologies.ask(source, redis -> redis.clusterGetKeysInSlot(slot, 100));
            keys.forEach(each ->
                    RedisTopologies.ask(source, redis -> redis.migrate("127.0.0.1", target.port(), each, 0, 30_000)));
            // Half moved: asked there, sent on from here.
            assertThat(remaining(store, key)).isEqualTo(997);
            RedisTopologies.ask(target, redis -> redis.clusterSetSlotNode(slot, targetId));
            RedisTopologies.ask(source, redis -> redis.clusterSetSlotNode(slot, targetId));
            assertThat(remaining(store, key)).isEqualTo(996);
        }
    }

    @Test
    void consume_afterAMasterDied_goesOnWithItsReplica() {
        try (RedisTopologies.Cluster cluster = RedisTopologies.cluster(3);
                RedisStore store = RedisStore.open(cluster.options().withTimeout(Duration.ofSeconds(5)))) {
            List<Key> keys = IntStream.range(0, 30)
                    .mapToObj(i -> Key.of("failover", "u" + i))
                    .toList();
            keys.forEach(key -> assertThat(remaining(store, key)).isEqualTo(999));
            cluster.nodes().get(0).kill();
            AtomicLong failed = new AtomicLong();
            for (Key key : keys) {
                await().until(() -> {
                    try {
                        return remaining(store, key) >= 900;
                    } catch (StoreException e) {
                        failed.incrementAndGet();
                        return false;
                    }
                });
            }
            assertThat(failed.get()).isPositive();
        }
    }

    @Test
    void consume_thatWaitedForAReplica_isStillCountedAfterAFailover() {
        try (RedisTopologies.Cluster cluster = RedisTopologies.cluster(3);
                RedisStore store = RedisStore.open(waiting(cluster.options(), Duration.ofSeconds(10)))) {
            List<Key> keys = IntStream.range(0, 30)
                    .mapToObj(i -> Key.of("failover", "u" + i))
                    .toList();
            for (int i = 1; i <= 5; i++) {
                for (Key key : keys) {
                    assertThat(remaining(store, key)).isEqualTo(1_000 - i);
                }
            }
            cluster.nodes().get(0).kill();
            for (Key key : keys) {
                // Looking needs nobody's copy.
                List<Charge> charges = List.of(Charge.of(key, POLICY));
                await().ignoreException(StoreException.class)
                        .untilAsserted(() -> assertThat(store.peek(charges)
                                        .await(TIMEOUT)
                                        .reading(0)
                                        .remaining())
                                .isEqualTo(995));
            }
            // The new master has no replica, so that nothing more is admitted there; elsewhere it is.
            Map<Boolean, List<Key>> byMaster = keys.stream()
                    .collect(Collectors.partitioningBy(
                            key -> SlotHash.getSlot(store.names().budget(key).bytes()) < 5461));
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> remaining(store, byMaster.get(true).get(0)))
                    .withMessageContaining("0 of 1 replicas");
            assertThat(remaining(store, byMaster.get(false).get(0))).isEqualTo(994);
        }
    }

    @Test
    void consume_thatWaitsForAReplica_followsASlotThatMoved() {
        try (RedisTopologies.Cluster cluster = RedisTopologies.cluster(3);
                RedisStore store = RedisStore.open(waiting(cluster.options(), Duration.ofSeconds(30)))) {
            Key key = Key.of("moving", "u1");
            int slot = SlotHash.getSlot(store.names().budget(key).bytes());
            int from = slot < 5461 ? 0 : slot < 10923 ? 1 : 2;
            RedisProcess source = cluster.nodes().get(from);
            RedisProcess target = cluster.nodes().get((from + 1) % 3);
            String sourceId = RedisTopologies.ask(source, redis -> redis.clusterMyId());
            String targetId = RedisTopologies.ask(target, redis -> redis.clusterMyId());
            // Only a node that was importing takes a new epoch with the slot; without one the next heartbeat of the
            // source takes the slot back.
            RedisTopologies.ask(target, redis -> redis.clusterSetSlotImporting(slot, sourceId));
            RedisTopologies.ask(target, redis -> redis.clusterSetSlotNode(slot, targetId));
            RedisTopologies.ask(source, redis -> redis.clusterSetSlotNode(slot, targetId));
            assertThat(remaining(store, key)).isEqualTo(999);
            assertThat(remaining(store, key)).isEqualTo(998);
        }
    }

    private static RedisStoreOptions waiting(RedisStoreOptions all, Duration timeout) {
        return new RedisStoreOptions(
                all.topology(),
                all.nodes(),
                all.master(),
                all.database(),
                all.login(),
                all.tls(),
                all.authority(),
                all.prefix(),
                timeout,
                1,
                false);
    }

    /** Limits of one request in several slots: never over, and what is refused is as if it had not been asked. */
    @Test
    void consume_overSeveralSlotsInParallel_admitsExactlyTheNarrowest() {
        try (RedisTopologies.Cluster cluster = RedisTopologies.cluster(0);
                RedisStore store = RedisStore.open(cluster.options().withTimeout(Duration.ofSeconds(30)))) {
            Policy wide = TokenBucket.of(1_000, 1, Duration.ofDays(365));
            Policy narrow = TokenBucket.of(50, 1, Duration.ofDays(365));
            List<Charge> charges = List.of(
                    Charge.of(Key.of("global"), wide),
                    Charge.of(Key.of("ip", "a"), wide),
                    Charge.of(Key.of("user", "b"), narrow));
            long admitted = IntStream.range(0, 200)
                    .parallel()
                    .filter(i -> store.consume(charges).await(TIMEOUT).admitted())
                    .count();
            assertThat(admitted).isEqualTo(50);
            await().atMost(TIMEOUT)
                    .untilAsserted(
                            () -> assertThat(store.peek(charges).await(TIMEOUT).readings())
                                    .extracting(reading -> reading.remaining())
                                    .containsExactly(950L, 950L, 0L));
        }
    }

    private static long remaining(RedisStore store, Key key) {
        return store.consume(List.of(Charge.of(key, POLICY)))
                .await(TIMEOUT)
                .reading(0)
                .remaining();
    }
}
