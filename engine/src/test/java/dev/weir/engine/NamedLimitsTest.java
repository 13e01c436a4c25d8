package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.engine.config.ConfigurationReader;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that name their limits, and two decisions for one request. */
class NamedLimitsTest {
    private final Weir weir = Weir.inMemory(
            new ConfigurationReader(name -> null).read("test.yaml", """
                    version: 1
                    limits:
                      - { name: everybody, per: [], rate: 100/hour }
                      - { name: exports, match: { path: /export }, per: [user], rate: 10/hour }
                      - { name: teams, match: { path: /never }, per: [team], rate: 2/hour }
                      - { name: tokens, per: [user], rate: 50/hour, cost: tokens }
                      - { name: slots, per: [user], algorithm: concurrency, rate: 1 }
                      - { name: watched, per: [user], rate: 1/hour, shadow: true }
                    exempt: { user: [root] }
                    """).orThrow());

    @AfterEach
    void close() {
        weir.close();
    }

    @Test
    void check_thatNamesLimits_asksThemAlone_whateverTheyMatch() {
        Outcome outcome = named(Map.of("user", "ann", "team", "red"), Map.of(), "exports", "teams");

        assertThat(outcome.limits()).extracting(LimitResult::name).containsExactly("exports", "teams");
        assertThat(weir.check(Map.of()).decisive().remaining()).isEqualTo(99);
    }

    @Test
    void check_thatNamesLimits_isAllOrNothing() {
        Map<String, String> who = Map.of("user", "ann", "team", "red");
        assertThat(named(who, Map.of("teams", 2L), "exports", "teams").allowed())
                .isTrue();

        Outcome refused = named(who, Map.of(), "exports", "teams");

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.decisive().name()).isEqualTo("teams");
        assertThat(named(who, Map.of(), "exports").decisive().remaining()).isEqualTo(8);
    }

    @Test
    void check_thatNamesALimit_neverPassesForWantOfAnything() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named(Map.of(), Map.of(), "exports"))
                .withMessage("limit 'exports' is per user; the request has no such attribute");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named(Map.of("user", "ann"), Map.of(), "tokens"))
                .withMessage("limit 'tokens' has no cost of its own; the request must name one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named(Map.of("user", "ann"), Map.of(), "slots"))
                .withMessage("limit 'slots' counts slots; it needs a lease");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named(Map.of("user", "ann"), Map.of(), "nothing"))
                .withMessageStartingWith("this check names 'nothing', which is not a limit; choose one of everybody");
        assertThat(named(Map.of("user", "ann"), Map.of("tokens", 50L), "tokens").allowed())
                .isTrue();
    }

    @Test
    void check_thatNamesAShadow_passes_andExemptOnesAreUntouched() {
        named(Map.of("user", "ann"), Map.of(), "watched");
        Outcome beyond = named(Map.of("user", "ann"), Map.of(), "watched");

        assertThat(beyond.allowed()).isTrue();
        assertThat(beyond.limits())
                .singleElement()
                .satisfies(limit -> assertThat(limit.allowed()).isFalse());
        assertThat(named(Map.of("user", "root"), Map.of(), "exports").isUntouched())
                .isTrue();
    }

    @Test
    void outcome_afterAnother_isOfTheLimitsOfBoth() {
        Outcome first = weir.check(Map.of());
        Outcome second = named(Map.of("user", "ann"), Map.of(), "exports");

        Outcome both = second.after(first);
        assertThat(both.allowed()).isTrue();
        assertThat(both.limits()).extracting(LimitResult::name).containsExactly("everybody", "exports");
        assertThat(both.decisive().name()).isEqualTo("exports");
        assertThat(second.after(second)).isSameAs(second);
        assertThat(second.after(Outcome.untouched())).isSameAs(second);
        assertThat(Outcome.untouched().after(first)).isSameAs(first);

        Outcome refused =
                named(Map.of("user", "ann"), Map.of("exports", 10L), "exports").after(first);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.decisive().name()).isEqualTo("exports");
        assertThat(refused.retryAfter()).isNotNull();
    }

    private Outcome named(Map<String, String> attributes, Map<String, Long> costs, String... limits) {
        return weir.checkAsync(new Request(attributes, 1, costs), Set.of(limits))
                .now();
    }
}
