package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Key;
import dev.weir.spi.idempotency.Beginning;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.testkit.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The store's side of D3: a request with an idempotency key is done once, whichever node it comes to. */
@Tag("io")
class JdbcResponsesTest {
    private static final Key KEY = Key.of("ingest", "device-1", "key\0\uD800");
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration DAY = Duration.ofDays(1);

    private final FakeClock clock = new FakeClock();

    private void onTwoNodes(Kind kind, BiConsumer<ResponseStore, ResponseStore> test) {
        JdbcStoreOptions options = Kind.PATIENT.withCleanup(null);
        try (Kind.Site site = kind.newSite()) {
            JdbcBackend here = site.node(options, SqliteUnderTest.given(clock));
            JdbcBackend there = site.node(options, SqliteUnderTest.given(clock));
            test.accept(here.responses(), there.responses());
            here.store().sweep();
            here.store().close();
            there.store().close();
        }
    }

    private static Beginning begin(ResponseStore store, String request) {
        return store.begin(KEY, bytes(request), PATIENCE).await(PATIENCE);
    }

    private static String token(Beginning begun) {
        return ((Beginning.Begun) begun).token();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theFirst_begins_andOthersLearnWhatCameOfIt(Kind kind) {
        onTwoNodes(kind, (here, there) -> {
            Beginning begun = begin(here, "request");
            assertThat(begin(there, "request")).isEqualTo(new Beginning.InFlight());
            assertThat(begin(there, "another")).isEqualTo(new Beginning.OtherRequest());
            assertThat(here.complete(KEY, token(begun), bytes("201"), DAY).await(PATIENCE))
                    .isTrue();
            assertThat(begin(there, "request")).isEqualTo(new Beginning.Done(bytes("201")));
            clock.advance(DAY);
            assertThat(begin(there, "request")).isInstanceOf(Beginning.Begun.class);
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoTookTooLong_cannotCompleteWhatAnotherBegan(Kind kind) {
        onTwoNodes(kind, (here, there) -> {
            String slow = token(begin(here, "request"));
            clock.advance(PATIENCE);
            String next = token(begin(there, "request"));
            assertThat(here.complete(KEY, slow, bytes("late"), DAY).await(PATIENCE))
                    .isFalse();
            assertThat(here.abandon(KEY, slow).await(PATIENCE)).isFalse();
            assertThat(there.abandon(KEY, next).await(PATIENCE)).isTrue();
            assertThat(begin(here, "request")).isInstanceOf(Beginning.Begun.class);
        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void manyAtOnce_oneBegins(Kind kind) {
        onTwoNodes(kind, (here, there) -> {
            try {
                assertThat(Crowd.count(
                                20, i -> () -> begin(i % 2 == 0 ? here : there, "request") instanceof Beginning.Begun))
                        .isEqualTo(1);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }
}
