package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Key;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.testkit.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The store's part of D3: a request with an idempotency key is processed once, whichever node receives it. */
@Tag("io")
class JdbcResponsesTest {
    private static final Key KEY = Key.of("ingest", "device-1", "key\0\uD800");
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration DAY = Duration.ofDays(1);

    private final FakeClock clock = new FakeClock();

    private void onTwoNodes(DatabaseKind kind, BiConsumer<ResponseStore, ResponseStore> test) {
        JdbcStoreOptions options = DatabaseKind.LONG_TIMEOUT.withCleanup(null);
        try (DatabaseKind.Site site = kind.newSite()) {
            JdbcBackend here = site.node(options, SqliteUnderTest.given(clock));
            JdbcBackend there = site.node(options, SqliteUnderTest.given(clock));
            test.accept(here.responses(), there.responses());
            here.store().sweep();
            here.store().close();
            there.store().close();
        }
    }

    private static BeginResult begin(ResponseStore store, String request) {
        return store.begin(KEY, bytes(request), AWAIT_TIMEOUT).await(AWAIT_TIMEOUT);
    }

    private static String token(BeginResult begun) {
        return ((BeginResult.Begun) begun).token();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void theFirst_begins_andOthersLearnWhatCameOfIt(DatabaseKind kind) {
        onTwoNodes(kind, (here, there) -> {
            BeginResult begun = begin(here, "request");
            assertThat(begin(there, "request")).isEqualTo(new BeginResult.InFlight());
            assertThat(begin(there, "another")).isEqualTo(new BeginResult.OtherRequest());
            assertThat(here.complete(KEY, token(begun), bytes("201"), DAY).await(AWAIT_TIMEOUT))
                    .isTrue();
            assertThat(begin(there, "request")).isEqualTo(new BeginResult.Done(bytes("201")));
            clock.advance(DAY);
            assertThat(begin(there, "request")).isInstanceOf(BeginResult.Begun.class);
        });
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void whoTookTooLong_cannotCompleteWhatAnotherBegan(DatabaseKind kind) {
        onTwoNodes(kind, (here, there) -> {
            String slow = token(begin(here, "request"));
            clock.advance(AWAIT_TIMEOUT);
            String next = token(begin(there, "request"));
            assertThat(here.complete(KEY, slow, bytes("late"), DAY).await(AWAIT_TIMEOUT))
                    .isFalse();
            assertThat(here.abandon(KEY, slow).await(AWAIT_TIMEOUT)).isFalse();
            assertThat(there.abandon(KEY, next).await(AWAIT_TIMEOUT)).isTrue();
            assertThat(begin(here, "request")).isInstanceOf(BeginResult.Begun.class);
        });
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void manyAtOnce_oneBegins(DatabaseKind kind) {
        onTwoNodes(kind, (here, there) -> {
            try {
                assertThat(ConcurrentCallers.count(
                                20,
                                i -> () -> begin(i % 2 == 0 ? here : there, "request") instanceof BeginResult.Begun))
                        .isEqualTo(1);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }
}
