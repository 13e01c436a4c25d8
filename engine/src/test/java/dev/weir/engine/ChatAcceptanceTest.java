package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.event.Event;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.ParallelThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Acceptance of reference system E on the memory store, without a binding. */
class ChatAcceptanceTest {
    private final PresetEngine chat = PresetEngine.of("chat");

    @Test
    void E1_consumingIsAtomicAndThePolicyIsTold() throws Exception {
        assertThat(ParallelThreads.count(
                        8, 50, () -> chat.check("user", "u", "type", "Say").allowed()))
                .isEqualTo(200);
        LimitResult told = chat.check("user", "u", "type", "Say").decisive();
        assertThat(told.capacity()).isEqualTo(200);
        assertThat(chat.weir.configuration().limit("messages").rates()).containsKey("default");
        chat.weir.close();
        assertThat(chat.check("user", "u", "type", "Say").reason())
                .as("closed, it fails secure")
                .isEqualTo(Reason.UNAVAILABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"burst: 0", "burst: -1", "rate: -1/s", "rate: x/s", "rate: 1/0s", "burst: 1.5"})
    void E2_policiesAreValidatedWhenCreated(String wrong) {
        String rate = wrong.startsWith("rate") ? "" : "rate: 1/s, ";
        assertThatThrownBy(() -> PresetEngine.yaml("limits: [{ name: a, " + rate + wrong + " }]\n"))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void E2_limitsThatShareAStoreAreApart() {
        assertThat(chat.allowed(500, "user", "u", "type", "Say")).isEqualTo(200);
        assertThat(chat.allowed(500, "user", "u", "type", "ComputeSum")).isEqualTo(2);
    }

    @Test
    void E3_theDecisionTellsRemainingAndAWaitThatIsAbsentWhenImpossible() {
        Outcome allowed = chat.check("user", "u", "type", "Say");
        assertThat(allowed.decisive().remaining()).isEqualTo(199);
        assertThat(allowed.retryAfter()).isNull();
        Outcome denied = chat.weir.check(new Request(Map.of("user", "u", "type", "Say"), 200, Map.of()));
        assertThat(denied.decisive().remaining()).isEqualTo(199);
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(10));
        Outcome impossible = chat.weir.check(new Request(Map.of("user", "u", "type", "Say"), 201, Map.of()));
        assertThat(impossible.retryAfter()).isNull();
    }

    @Test
    void E5_keysAreTenantUserOrAddressAndType() {
        assertThat(chat.allowed(300, "tenant", "t", "user", "u", "type", "Say")).isEqualTo(200);
        assertThat(chat.check("tenant", "s", "user", "u", "type", "Say").allowed())
                .isTrue();
        assertThat(chat.check("tenant", "t", "user", "v", "type", "Say").allowed())
                .isTrue();
        assertThat(chat.check("tenant", "t", "user", "u", "type", "Shout").allowed())
                .isTrue();
        assertThat(chat.check("tenant", "t", "ip", "203.0.113.1", "type", "Say").allowed())
                .isTrue();
        assertThat(chat.check("tenant", "t", "ip", "203.0.113.1", "user", "u", "type", "Say")
                        .allowed())
                .as("the user counts before the address")
                .isFalse();
        assertThat(chat.check("user", "w", "type", "Say").decisive().keyedBy())
                .containsExactly("tenant", "user", "type");
    }

    @Test
    void E5_aCostThatIsNoPositiveWholeNumberIsAnError() {
        for (long cost : new long[] {0, -5, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Request(Map.of("user", "u"), cost, Map.of()));
        }
    }

    @Test
    void E7_aRefusalIsRetryableWithTheExactWaitOrNotAtAll() {
        assertThat(chat.allowed(9, "user", "u", "type", "ComputeSum")).isEqualTo(2);
        chat.clock.advance(Duration.ofMillis(1_300));
        Outcome denied = chat.check("user", "u", "type", "ComputeSum");
        assertThat(denied.reason()).isEqualTo(Reason.LIMITED);
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(1_200));
        chat.clock.advance(Duration.ofMillis(1_200));
        assertThat(chat.check("user", "u", "type", "ComputeSum").allowed()).isTrue();
        Request impossible = new Request(Map.of("user", "u", "type", "ComputeSum"), 1, Map.of("compute", 11L));
        assertThat(chat.weir.check(impossible).reason()).isEqualTo(Reason.IMPOSSIBLE);
    }

    @Test
    void E8_refusalsAreToldOnceAndAHookThatThrowsOrHangsHarmsNobody() throws Exception {
        AtomicInteger told = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        chat.weir.events().subscribe("throws", 100, event -> {
            told.addAndGet(event instanceof Event.Denied ? 1 : 0);
            throw new IllegalStateException("a hook's bug");
        });
        chat.weir.events().subscribe("hangs", 100, event -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        chat.allowed(9, "user", "u", "type", "ComputeSum");
        chat.clock.advance(Duration.ofSeconds(5));
        assertThat(chat.check("user", "u", "type", "ComputeSum").allowed()).isTrue();
        end.countDown();
        chat.weir.events().close(Duration.ofSeconds(5));
        assertThat(told).hasValue(7);
    }

    @Test
    void E10_fifteenInParallelAgainstTenAdmitTen() throws Exception {
        for (int round = 0; round < 50; round++) {
            String user = "user-" + round;
            Request request = new Request(Map.of("user", user, "type", "ComputeX"), 1, Map.of("compute", 1L));
            assertThat(ParallelThreads.count(
                            15, 1, () -> chat.weir.check(request).allowed()))
                    .isEqualTo(10);
        }
    }

    @Test
    void E11_aClockThatStepsBackIsTolerated() {
        chat.allowed(2, "user", "u", "type", "ComputeSum");
        chat.clock.stepBack(Duration.ofDays(1));
        Outcome denied = chat.check("user", "u", "type", "ComputeSum");
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(2_500));
        chat.clock.advance(Duration.ofMillis(2_500));
        assertThat(chat.check("user", "u", "type", "ComputeSum").allowed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "user", "ip", "connection", "type", "handler", "room"})
    void E12_everyGranularityIsOneLine(String attribute) {
        PresetEngine engine = PresetEngine.yaml("limits: [{ name: a, per: [" + attribute + "], rate: 2/min }]\n");
        String name = attribute.isEmpty() ? "any" : attribute;
        assertThat(engine.allowed(5, name, "one")).isEqualTo(2);
        assertThat(engine.allowed(5, name, "two")).isEqualTo(attribute.isEmpty() ? 0 : 2);
    }

    @Test
    void E14_memoryIsBoundedUnderKeysThatAnAttackerChooses() {
        MemoryStore store = MemoryStore.create(
                MemoryStoreOptions.defaults().maxEntries(10_000).timeSource(chat.clock));
        try (Weir weir = Weir.of(chat.weir.configuration(), store, new InMemorySettings())) {
            for (int i = 0; i < 100_000; i++) {
                weir.check(Map.of("user", "attacker-" + i, "type", "Say"));
            }
            assertThat(store.entries()).isLessThanOrEqualTo(12_000);
        }
    }

    @Test
    void E15_oneExhaustedKeyDeniesNoOther() {
        chat.allowed(1_000, "user", "greedy", "type", "Say");
        for (String user : List.of("a", "b", "c")) {
            assertThat(chat.allowed(200, "user", user, "type", "Say")).isEqualTo(200);
        }
    }
}
