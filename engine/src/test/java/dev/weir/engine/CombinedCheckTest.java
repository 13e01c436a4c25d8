package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.engine.CombinedCheck.Counting;
import dev.weir.engine.CombinedCheck.Part;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Rate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several requests that are decided as one. */
class CombinedCheckTest {
    private final Weir weir = Weir.inMemory(
            new ConfigurationReader(name -> null).read("test.yaml", """
                    version: 1
                    limits:
                      - { name: users, per: [user], rate: 5/day, algorithm: fixed-window, calendar: UTC }
                      - { name: teams, match: { team: "*" }, per: [team], rate: 3/day, algorithm: fixed-window }
                      - { name: watched, match: { user: eve }, per: [user], rate: 1/day, algorithm: fixed-window, shadow: true }
                    exempt: { user: [root] }
                    """).orThrow());

    @AfterEach
    void close() {
        weir.close();
    }

    @Test
    void parts_areAllOrNothing() {
        List<Part> both = List.of(part("user", "ann"), part("team", "red"));
        for (int i = 0; i < 3; i++) {
            assertThat(check(both).outcome().allowed()).isTrue();
        }

        CombinedCheck.Result refused = check(both);

        assertThat(refused.outcome().allowed()).isFalse();
        assertThat(refused.limits().get(0)).singleElement().satisfies(limit -> {
            assertThat(limit.allowed()).isTrue();
            assertThat(limit.remaining()).isEqualTo(2);
        });
        assertThat(refused.limits().get(1)).singleElement().satisfies(limit -> {
            assertThat(limit.name()).isEqualTo("teams");
            assertThat(limit.allowed()).isFalse();
        });
        assertThat(check(List.of(part("user", "ann"))).limits().get(0).get(0).remaining())
                .isEqualTo(1);
    }

    @Test
    void parts_areOneDecision_inTheCountsOfTheEngine() {
        check(List.of(part("user", "ann"), part("user", "bob"), part("team", "red")));

        assertThat(weir.counts().allowed()).isEqualTo(1);
        assertThat(weir.counts().of("users").allowed()).isEqualTo(2);
        assertThat(weir.counts().of("teams").allowed()).isEqualTo(1);
    }

    @Test
    void part_withoutALimit_hasNoResults() {
        CombinedCheck.Result result = check(List.of(part("nothing", "x"), part("user", "ann"), part("user", "root")));

        assertThat(result.limits()).extracting(List::size).containsExactly(0, 1, 0);
    }

    @Test
    void part_thatOnlyReads_spendsNothingAndRefusesNothing() {
        Part reader = new Part(Request.of(Map.of("team", "red")), null, null, true);
        for (int i = 0; i < 3; i++) {
            check(List.of(part("team", "red")));
        }

        CombinedCheck.Result result = check(List.of(reader, part("user", "ann")));

        assertThat(result.outcome().allowed()).isTrue();
        assertThat(result.limits().get(0).get(0).remaining()).isZero();
        assertThat(result.limits().get(1).get(0).remaining()).isEqualTo(4);
    }

    @Test
    void part_atAnotherRate_hasItsOwnCounts() {
        Part fast = new Part(Request.of(Map.of("user", "ann")), "users", Rate.per(Duration.ofMinutes(1), 100), false);

        assertThat(check(List.of(fast)).limits().get(0).get(0).remaining()).isEqualTo(99);
        assertThat(check(List.of(part("user", "ann"))).limits().get(0).get(0).remaining())
                .isEqualTo(4);
        assertThat(check(List.of(fast)).limits().get(0).get(0).remaining()).isEqualTo(98);
    }

    @Test
    void unknownLimit_isRefused_beforeAnythingIsSpent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> check(List.of(
                        part("user", "ann"), new Part(Request.of(Map.of("user", "ann")), "stranger", null, false))))
                .withMessageContaining("'stranger', which is not a limit");
        assertThat(check(List.of(part("user", "ann"))).limits().get(0).get(0).remaining())
                .isEqualTo(4);
    }

    @Test
    void eachAlways_countsTheOthersOfARefusedRequest() {
        List<Part> both = List.of(part("user", "ann"), part("team", "red"));
        for (int i = 0; i < 3; i++) {
            assertThat(each(both).outcome().allowed()).isTrue();
        }

        CombinedCheck.Result refused = each(both);

        assertThat(refused.outcome().allowed()).isFalse();
        assertThat(refused.limits().get(0).get(0).allowed()).isTrue();
        assertThat(refused.limits().get(0).get(0).remaining()).isEqualTo(1);
    }

    @Test
    void eachAlways_aCostThatDoesNotFit_usesUpTheWindow() {
        assertThat(each(List.of(part("user", "ann", 4))).limits().get(0).get(0).remaining())
                .isEqualTo(1);
        assertThat(each(List.of(part("user", "ann", 4))).outcome().allowed()).isFalse();
        assertThat(each(List.of(part("user", "ann", 1))).outcome().allowed()).isFalse();
        assertThat(each(List.of(part("user", "bob", 1_000))).outcome().allowed())
                .isFalse();
        assertThat(each(List.of(part("user", "bob", 1))).outcome().allowed()).isFalse();
    }

    @Test
    void eachAlways_theSamePartTwice_isCountedTwice() {
        CombinedCheck.Result twice = each(List.of(part("team", "red", 2), part("team", "red", 2)));

        assertThat(twice.limits().get(0).get(0).remaining()).isEqualTo(1);
        assertThat(twice.limits().get(1).get(0).allowed()).isFalse();
    }

    @Test
    void eachAlways_aShadowLimit_isCountedThoughAnotherLimitRefuses() {
        List<Part> eve = List.of(part("user", "eve", 9));

        CombinedCheck.Result result = each(eve);

        assertThat(result.outcome().allowed()).isFalse();
        assertThat(result.limits().get(0))
                .filteredOn(LimitResult::shadow)
                .singleElement()
                .satisfies(limit -> assertThat(limit.allowed()).isFalse());
    }

    private CombinedCheck.Result check(List<Part> parts) {
        return weir.checkTogether(parts, Counting.ALL_OR_NOTHING).await();
    }

    private CombinedCheck.Result each(List<Part> parts) {
        return weir.checkTogether(parts, Counting.EACH_ALWAYS).await();
    }

    private static Part part(String attribute, String value) {
        return part(attribute, value, 1);
    }

    private static Part part(String attribute, String value, long cost) {
        return part(new Request(Map.of(attribute, value), cost, Map.of()), null);
    }

    private static Part part(Request request, @Nullable String limit) {
        return new Part(request, limit, null, false);
    }
}
