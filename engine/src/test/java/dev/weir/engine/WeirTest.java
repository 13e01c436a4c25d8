package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Decisions follow the configuration. */
class WeirTest {

    private static PresetEngine limits(String... limits) {
        return PresetEngine.yaml("limits:\n  - " + String.join("\n  - ", limits) + "\n");
    }

    @Test
    void match_holdsForAllAttributesAndAnyOfTheirValues() {
        PresetEngine engine =
                limits("{ name: a, match: { method: [GET, HEAD], path: '/api/**' }, per: [ip], rate: 1/min }");
        assertThat(engine.allowed(3, "ip", "1.1.1.1", "method", "GET", "path", "/api/x"))
                .isEqualTo(1);
        assertThat(engine.allowed(3, "ip", "1.1.1.2", "method", "HEAD", "path", "/api"))
                .isEqualTo(1);
        assertThat(engine.allowed(3, "ip", "1.1.1.3", "method", "POST", "path", "/api/x"))
                .isEqualTo(3);
        assertThat(engine.allowed(3, "ip", "1.1.1.4", "method", "GET", "path", "/x"))
                .isEqualTo(3);
        assertThat(engine.allowed(3, "ip", "1.1.1.5", "method", "GET")).isEqualTo(3);
    }

    @Test
    void match_null_meansAbsent() {
        PresetEngine engine = limits("{ name: a, match: { agent: null }, per: [ip], rate: 1/min }");
        assertThat(engine.allowed(3, "ip", "1.1.1.1")).isEqualTo(1);
        assertThat(engine.allowed(3, "ip", "1.1.1.1", "agent", "x")).isEqualTo(3);
    }

    @Test
    void match_noSpellingOfAPathSlipsPast() {
        PresetEngine engine = limits("{ name: a, match: { path: /login }, per: [], rate: 1/min }");
        assertThat(engine.check("path", "/login").allowed()).isTrue();
        for (String spelling : List.of("/login/", "//login", "/%6cogin", "/x/../login", "/login?x=1", "/login;a=b")) {
            assertThat(engine.check("path", spelling).allowed()).as(spelling).isFalse();
        }
    }

    @Test
    void per_firstPresentAlternativeCountsAndIsToldApart() {
        PresetEngine engine = limits("{ name: a, per: ['device|ip'], rate: 1/min }");
        Outcome byDevice = engine.check("device", "1.2.3.4", "ip", "9.9.9.9");
        assertThat(byDevice.decisive().keyedBy()).containsExactly("device");
        assertThat(byDevice.decisive().scope()).isEqualTo("device");
        Outcome byIp = engine.check("ip", "1.2.3.4");
        assertThat(byIp.allowed())
                .as("the device 1.2.3.4 is not the address 1.2.3.4")
                .isTrue();
        assertThat(byIp.decisive().scope()).isEqualTo("ip");
        assertThat(engine.check().isUntouched()).isTrue();
    }

    @Test
    void per_valuesThatRunTogether_areDifferentKeys() {
        PresetEngine engine = limits("{ name: a, per: [user, room], rate: 1/min }");
        assertThat(engine.check("user", "a:b", "room", "c").allowed()).isTrue();
        assertThat(engine.check("user", "a", "room", "b:c").allowed()).isTrue();
        assertThat(engine.check("user", "a:b:c", "room", ":").allowed()).isTrue();
        assertThat(engine.check("user", ":", "room", "a:b:c").allowed()).isTrue();
        assertThat(engine.check("user", "a", "room", "b:c").allowed()).isFalse();
    }

    @Test
    void per_addresses_countHoweverTheyAreSpelled() {
        PresetEngine engine = limits("{ name: a, per: [ip], rate: 1/min }");
        assertThat(engine.check("ip", "203.0.113.7").allowed()).isTrue();
        assertThat(engine.check("ip", "::ffff:203.0.113.7").allowed()).isFalse();
        assertThat(engine.check("ip", "2001:db8::1").allowed()).isTrue();
        assertThat(engine.check("ip", "2001:0db8:0:0:ffff::2").allowed())
                .as("the same /64")
                .isFalse();
        assertThat(engine.check("ip", "2001:db8:0:1::1").allowed()).isTrue();
    }

    @Test
    void by_choosesTheRowOrTheDefault() {
        PresetEngine engine =
                limits("{ name: a, per: [user], by: plan, rate: { free: 1/min, pro: 3/min, default: 2/min } }");
        assertThat(engine.allowed(9, "user", "f", "plan", "free")).isEqualTo(1);
        assertThat(engine.allowed(9, "user", "p", "plan", "pro")).isEqualTo(3);
        assertThat(engine.allowed(9, "user", "x", "plan", "who knows")).isEqualTo(2);
        assertThat(engine.allowed(9, "user", "y")).isEqualTo(2);
        assertThat(engine.allowed(9, "user", "z", "plan", "default")).isEqualTo(2);
    }

    @Test
    void rate_aChangeOfPlan_keepsWhatWasSpent() {
        PresetEngine engine = limits("{ name: a, per: [user], by: plan, rate: { pro: 10/min, default: 4/min } }");
        assertThat(engine.allowed(4, "user", "u", "plan", "pro")).isEqualTo(4);
        assertThat(engine.check("user", "u", "plan", "free").allowed()).isFalse();
        assertThat(engine.allowed(10, "user", "u", "plan", "pro")).isEqualTo(6);
    }

    @Test
    void rate_several_allMustHold() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: [2/s, 5/min] }");
        int allowed = 0;
        for (int second = 0; second < 5; second++) {
            allowed += engine.allowed(4, "user", "u");
            engine.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(allowed).isEqualTo(5);
        Outcome refused = engine.check("user", "u");
        assertThat(refused.limits()).hasSize(1);
        assertThat(refused.decisive().window()).isEqualTo(Duration.ofMinutes(1));
        assertThat(refused.decisive().capacity()).isEqualTo(5);
        assertThat(refused.retryAfter()).isEqualTo(refused.decisive().retryAfter());
    }

    @Test
    void burst_isTheCapacity() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 1/s, burst: 5 }");
        assertThat(engine.allowed(9, "user", "u")).isEqualTo(5);
        engine.clock.advance(Duration.ofSeconds(2));
        assertThat(engine.allowed(9, "user", "u")).isEqualTo(2);
    }

    @Test
    void cost_ofTheRequest_appliesWhereTheLimitSetsNone() {
        PresetEngine engine = limits("{ name: own, per: [], rate: 100/min, cost: 2 }", "{ name: free, rate: 100/min }");
        Outcome outcome = engine.weir.check(new Request(Map.of(), 7, Map.of()));
        assertThat(outcome.limits()).extracting(LimitResult::remaining).containsExactly(98L, 93L);
        outcome = engine.weir.check(new Request(Map.of(), 7, Map.of("own", 10L)));
        assertThat(outcome.limits()).extracting(LimitResult::remaining).containsExactly(88L, 86L);
    }

    @Test
    void cost_anAttribute_makesTheLimitApplyOnlyWhereItIs() {
        PresetEngine engine = limits("{ name: tokens, per: [user], rate: 100/day, cost: tokens }");
        assertThat(engine.check("user", "u").isUntouched()).isTrue();
        assertThat(engine.check("user", "u", "tokens", "").isUntouched()).isTrue();
        assertThat(engine.check("user", "u", "tokens", "60").decisive().remaining())
                .isEqualTo(40);
        Request named = new Request(Map.of("user", "u"), 1, Map.of("tokens", 40L));
        assertThat(engine.weir.check(named).decisive().remaining()).isZero();
        for (String bad : List.of("0", "-1", "1.5", "many", "99999999999999999999", "1e3", "+5", "１", "7\n")) {
            assertThatIllegalArgumentException()
                    .as(bad)
                    .isThrownBy(() -> engine.check("user", "v", "tokens", bad))
                    .withMessageContaining("tokens");
        }
        assertThat(engine.check("user", "v", "tokens", "100").allowed())
                .as("nothing was spent")
                .isTrue();
    }

    @Test
    void cost_rows_chooseByAnAttribute() {
        PresetEngine engine =
                limits("{ name: a, per: [], rate: 100/min, cost: { action: { export: 20, default: 3 } } }");
        assertThat(engine.check("action", "export").decisive().remaining()).isEqualTo(80);
        assertThat(engine.check("action", "else").decisive().remaining()).isEqualTo(77);
        assertThat(engine.check().decisive().remaining()).isEqualTo(74);
    }

    @Test
    void cost_aboveTheCapacity_isImpossible() {
        PresetEngine engine = limits("{ name: a, per: [], rate: 10/min }");
        Outcome outcome = engine.weir.check(new Request(Map.of(), 11, Map.of()));
        assertThat(outcome.allowed()).isFalse();
        assertThat(outcome.reason()).isEqualTo(Reason.IMPOSSIBLE);
        assertThat(outcome.retryAfter()).isNull();
        assertThat(engine.allowed(11)).as("nothing was spent").isEqualTo(10);
    }

    @Test
    void costs_ofALimitThatIsNone_isAClearError() {
        PresetEngine engine = limits("{ name: a, per: [], rate: 10/min }");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.weir.check(new Request(Map.of(), 1, Map.of("b", 1L))))
                .withMessage("costs names 'b', which is not a limit; choose one of a");
    }

    @Test
    void severalLimits_aRefusalSpendsNothingAnywhere() {
        PresetEngine engine = limits(
                "{ name: all, per: [], rate: 100/min }",
                "{ name: user, per: [user], rate: 2/min }",
                "{ name: room, per: [room], rate: 100/min }");
        assertThat(engine.allowed(50, "user", "u", "room", "r")).isEqualTo(2);
        Outcome refused = engine.check("user", "u", "room", "r");
        assertThat(refused.decisive().name()).isEqualTo("user");
        assertThat(refused.limits()).extracting(LimitResult::remaining).containsExactly(98L, 0L, 98L);
        assertThat(refused.limits()).extracting(LimitResult::allowed).containsExactly(true, false, true);
    }

    @Test
    void severalRefusals_theOutermostIsToldAndTheLongestWait() {
        PresetEngine engine = limits("{ name: outer, per: [], rate: 1/min }", "{ name: inner, per: [], rate: 1/hour }");
        engine.check();
        Outcome refused = engine.check();
        assertThat(refused.decisive().name()).isEqualTo("outer");
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void allowed_tellsTheTightestLimit() {
        PresetEngine engine = limits("{ name: wide, per: [], rate: 100/min }", "{ name: tight, per: [], rate: 5/min }");
        assertThat(engine.check().decisive().name()).isEqualTo("tight");
    }

    @Test
    void warn_oncePerCrossing_andAgainAfterRecovery() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 10/min, warn: 80% }");
        assertThat(warnings(engine, 10)).isEqualTo(1);
        engine.clock.advance(Duration.ofSeconds(30));
        assertThat(warnings(engine, 5)).as("five came back, and are used again").isEqualTo(1);
        engine.clock.advance(Duration.ofMinutes(5));
        assertThat(warnings(engine, 10)).isEqualTo(1);
    }

    private static int warnings(PresetEngine engine, int requests) {
        int warnings = 0;
        for (int i = 0; i < requests; i++) {
            warnings += engine.check("user", "u").warnings().size();
        }
        return warnings;
    }

    @Test
    void warn_aCostThatJumpsOverTheMark_warns() {
        PresetEngine engine = limits("{ name: a, per: [], rate: 10/min, warn: 80% }");
        Outcome outcome = engine.weir.check(new Request(Map.of(), 10, Map.of()));
        assertThat(outcome.warnings()).containsExactly(new Warning("a", 0, 10));
        assertThat(engine.check().warnings()).as("a refusal warns nobody").isEmpty();
    }

    @Test
    void shadow_reportsAndNeverRefuses() {
        PresetEngine engine = limits(
                "{ name: real, per: [user], rate: 5/min }", "{ name: try, per: [user], rate: 2/min, shadow: true }");
        for (int i = 1; i <= 5; i++) {
            Outcome outcome = engine.check("user", "u");
            assertThat(outcome.allowed()).isTrue();
            LimitResult shadow = outcome.limits().get(1);
            assertThat(shadow.shadow()).isTrue();
            assertThat(shadow.allowed()).isEqualTo(i <= 2);
            assertThat(outcome.decisive().name()).isEqualTo("real");
        }
        assertThat(engine.check("user", "u").allowed()).isFalse();
    }

    @Test
    void shadow_ofARefusedRequest_spendsNothing() {
        PresetEngine engine =
                limits("{ name: real, per: [], rate: 1/min }", "{ name: try, per: [], rate: 9/min, shadow: true }");
        engine.allowed(5);
        assertThat(engine.check().limits().get(1).remaining()).isEqualTo(8);
    }

    @Test
    void shadow_alone_letsEverythingPass() {
        PresetEngine engine = limits("{ name: try, per: [], rate: 0/min, shadow: true }");
        Outcome outcome = engine.check();
        assertThat(outcome.allowed()).isTrue();
        assertThat(outcome.decisive()).isNull();
        assertThat(outcome.limits()).extracting(LimitResult::allowed).containsExactly(false);
    }

    @Test
    void enabled_false_touchesNothing() {
        PresetEngine engine = PresetEngine.yaml("enabled: false\nlimits: [{ name: a, rate: 0/min }]\n");
        assertThat(engine.check().isUntouched()).isTrue();
        assertThat(engine.store.entries()).isZero();
    }

    @Test
    void defaults_fillInWhatIsMissing() {
        PresetEngine engine =
                PresetEngine.yaml("defaults: { tenant: public }\nlimits: [{ name: a, per: [tenant], rate: 2/min }]\n");
        assertThat(engine.allowed(1)).isEqualTo(1);
        assertThat(engine.allowed(5, "tenant", "public")).isEqualTo(1);
        assertThat(engine.allowed(5, "tenant", "own")).isEqualTo(2);
    }

    @Test
    void classify_whatAClientSendsForADerivedAttribute_doesNotCount() {
        PresetEngine engine = PresetEngine.yaml("""
                classify: [{ set: tier, from: action, values: { heavy: [submit, 'post_*'] }, default: normal }]
                limits: [{ name: a, by: tier, rate: { heavy: 1/min, default: 9/min } }]
                """);
        assertThat(engine.check("action", "submit", "tier", "normal").derived()).containsEntry("tier", "heavy");
        assertThat(engine.check("action", "post_x").allowed()).isFalse();
    }

    @Test
    void classify_theFirstClassWins_literalOrPattern() {
        PresetEngine engine = PresetEngine.yaml("""
                classify:
                  - { set: kind, from: action, values: { first: ['a*'], second: [abc, bcd], third: ['b*'] } }
                limits: [{ name: a, rate: 9/min, match: { action: '*' } }]
                """);
        assertThat(engine.check("action", "abc").derived()).containsEntry("kind", "first");
        assertThat(engine.check("action", "bcd").derived()).containsEntry("kind", "second");
        assertThat(engine.check("action", "bce").derived()).containsEntry("kind", "third");
        assertThat(engine.check("action", "x").derived()).isEmpty();
    }

    @Test
    void precedence_isExemptThenSubjectThenRowThenDefault() {
        PresetEngine engine = limits("{ name: a, per: [user], by: plan, rate: { pro: 3/min, default: 2/min } }");
        assertThat(engine.allowed(50, "user", "default")).isEqualTo(2);
        assertThat(engine.allowed(50, "user", "row", "plan", "pro")).isEqualTo(3);
        change(engine, new SettingsChange.PutDefaults("admin", engine.clock.wall(), rates("pro", "4/min")));
        assertThat(engine.allowed(50, "user", "row2", "plan", "pro")).isEqualTo(4);
        change(engine, override(engine, "user", "row3", rates("pro", "5/min")));
        assertThat(engine.allowed(50, "user", "row3", "plan", "pro")).isEqualTo(5);
        assertThat(engine.allowed(50, "user", "row3"))
                .as("another row of the same subject")
                .isEqualTo(2);
        change(engine, new SettingsChange.AddExempt("admin", engine.clock.wall(), new Subject("user", "row3")));
        assertThat(engine.allowed(50, "user", "row3", "plan", "pro")).isEqualTo(50);
        change(engine, new SettingsChange.RemoveExempt("admin", engine.clock.wall(), new Subject("user", "row3")));
        assertThat(engine.allowed(50, "user", "row3", "plan", "pro")).isZero();
        change(engine, new SettingsChange.RemoveOverride("admin", engine.clock.wall(), new Subject("user", "row3")));
        assertThat(engine.allowed(50, "user", "row3", "plan", "pro"))
                .as("the row's own budget")
                .isEqualTo(4 - 2);
    }

    @Test
    void changedDefaults_keepWhatWasSpent() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 10/min }");
        engine.allowed(8, "user", "u");
        change(engine, new SettingsChange.PutDefaults("admin", engine.clock.wall(), rates("default", "20/min")));
        assertThat(engine.allowed(50, "user", "u")).isEqualTo(12);
    }

    @Test
    void overridesOfTwoSubjects_theOneThatComesFirstInPerCounts() {
        PresetEngine engine = limits("{ name: a, per: [tenant, user], rate: 1/min }");
        change(engine, override(engine, "user", "u", rates("default", "2/min")));
        change(engine, override(engine, "tenant", "t", rates("default", "3/min")));
        change(engine, override(engine, "country", "x", rates("default", "4/min")));
        assertThat(engine.allowed(9, "tenant", "t", "user", "u", "country", "x"))
                .isEqualTo(3);
        assertThat(engine.allowed(9, "tenant", "s", "user", "u", "country", "x"))
                .isEqualTo(2);
        assertThat(engine.allowed(9, "tenant", "s", "user", "v", "country", "x"))
                .isEqualTo(4);
    }

    @Test
    void settingsOfAddresses_countHoweverTheyAreSpelled() {
        PresetEngine engine = limits("{ name: a, per: [ip], rate: 1/min }");
        change(engine, override(engine, "ip", "::ffff:192.0.2.1", rates("default", "3/min")));
        change(engine, new SettingsChange.AddExempt("admin", engine.clock.wall(), new Subject("ip", "2001:db8::1")));
        assertThat(engine.allowed(9, "ip", "192.0.2.1")).isEqualTo(3);
        assertThat(engine.allowed(9, "ip", "2001:db8::2")).isEqualTo(9);
    }

    @Test
    void change_thatTheConfigurationCannotFollow_isRefusedBeforeItIsMade() {
        PresetEngine engine = limits(
                "{ name: a, per: [user], by: plan, rate: { pro: 3/min, default: 2/min } }",
                "{ name: slots, per: [user], rate: 2, algorithm: concurrency }");
        Map<String, Map<String, String>> wrong = Map.of("b", Map.of("default", "1/min"));
        refuses(engine, wrong, "there is no limit 'b'; choose one of a, slots");
        refuses(engine, rates("nope", "1/min"), "limit 'a' has no row 'nope'; it has pro, default");
        refuses(
                engine,
                rates("pro", "fast"),
                "the rate of limit 'a', row 'pro', is 'fast'; it must be a number and a"
                        + " period such as 60/min, 10/s or 500/1h30m");
        refuses(
                engine,
                rates("pro", "5"),
                "the rate of limit 'a', row 'pro', is '5'; it needs a period, such as 60/min");
        refuses(
                engine,
                Map.of("slots", Map.of("default", "5/min")),
                "the rate of limit 'slots', row 'default', is '5/min'; for concurrency it must be a plain number");
        refuses(engine, Map.of("a", Map.of()), "limit 'a' is given no rate; name at least one row");
        assertThat(engine.weir.settings().version()).isZero();
    }

    private static void refuses(PresetEngine engine, Map<String, Map<String, String>> rates, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> change(engine, override(engine, "user", "u", rates)))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> change(engine, new SettingsChange.PutDefaults("x", engine.clock.wall(), rates)))
                .withMessage(message);
    }

    @Test
    void settingsThatNoLongerFit_areLeftOut() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 2/min }");
        engine.settings.apply(override(engine, "user", "u", rates("gone", "1/min")));
        engine.settings.apply(override(engine, "user", "v", rates("default", "no rate")));
        assertThat(engine.allowed(9, "user", "u")).isEqualTo(2);
        assertThat(engine.allowed(9, "user", "v")).isEqualTo(2);
    }

    @Test
    void exemptByTheConfiguration_cannotBeEndedAtRunTime() {
        PresetEngine engine =
                PresetEngine.yaml("limits: [{ name: a, per: [agent], rate: 1/min }]\nexempt: { agent: [dashboard] }\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> change(
                        engine,
                        new SettingsChange.RemoveExempt(
                                "admin", engine.clock.wall(), new Subject("agent", "dashboard"))))
                .withMessageContaining("exempt by the configuration");
        change(engine, new SettingsChange.ReplaceExempt("admin", engine.clock.wall(), "agent", java.util.Set.of("b")));
        assertThat(engine.allowed(9, "agent", "dashboard")).isEqualTo(9);
        assertThat(engine.allowed(9, "agent", "b")).isEqualTo(9);
        assertThat(engine.allowed(9, "agent", "c")).isEqualTo(1);
    }

    @Test
    void peek_answersTheSameAndSpendsNothing() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 2/min, warn: 50% }");
        Request request = Request.of(attributes("user", "u"));
        for (int i = 0; i < 9; i++) {
            assertThat(engine.weir.peek(request).allowed()).isTrue();
            assertThat(engine.weir.peek(request.attributes()).decisive().remaining())
                    .isEqualTo(2);
            assertThat(engine.weir.peek(request).warnings()).isEmpty();
        }
        engine.allowed(2, "user", "u");
        Outcome refused = engine.weir.peek(request);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(30));
        assertThat(engine.weir.counts().allowed()).as("a peek is no request").isEqualTo(2);
    }

    @Test
    void status_showsEveryLimitOfTheCallerWhateverItMightDo() {
        PresetEngine engine = PresetEngine.yaml("""
                classify: [{ set: kind, from: path, values: { export: ['/export**'] } }]
                limits:
                  - { name: ip, per: [ip], rate: 9/min }
                  - { name: general, per: [user], by: plan, rate: { pro: 5/min, default: 2/min } }
                  - { name: exports, match: { kind: export }, per: [user], rate: 0/min }
                  - { name: tokens, per: [user], rate: 100/day, cost: tokens }
                  - { name: slots, per: [user], rate: 3, algorithm: concurrency }
                  - { name: guests, match: { user: null }, per: [], rate: 1/min }
                """);
        engine.check("user", "u", "plan", "pro", "tokens", "30");
        List<LimitResult> status = engine.weir.status(attributes("user", "u", "plan", "pro"));
        assertThat(status).extracting(LimitResult::name).containsExactly("general", "exports", "tokens", "slots");
        assertThat(status).extracting(LimitResult::remaining).containsExactly(4L, 0L, 70L, 3L);
        assertThat(status).extracting(LimitResult::capacity).containsExactly(5L, 0L, 100L, 3L);
        assertThat(status.get(0).row()).isEqualTo("pro");
        assertThat(engine.weir.status(attributes("user", "u", "plan", "pro")))
                .as("looking spends nothing")
                .isEqualTo(status);
        assertThat(engine.weir.status(Map.of("who", "knows")))
                .extracting(LimitResult::name)
                .containsExactly("guests");
    }

    @Test
    void reset_makesExactlyThatWholeAndForgives() {
        PresetEngine engine = PresetEngine.yaml("""
                limits: [{ name: a, per: [user, room], rate: [2/min, 3/hour] }]
                penalty: { per: [user] }
                """);
        engine.allowed(3, "user", "u", "room", "r");
        engine.allowed(3, "user", "u", "room", "s");
        assertThat(engine.weir.penaltyState("u").throttled()).isTrue();
        assertThat(engine.weir.reset(attributes("user", "u", "room", "r"))).isEqualTo(2);
        assertThat(engine.weir.penaltyState("u").throttled()).isFalse();
        assertThat(engine.check("user", "u", "room", "r").allowed()).isTrue();
        assertThat(engine.check("user", "u", "room", "s").allowed()).isFalse();
        assertThat(engine.weir.reset(attributes("nobody", "x"))).isZero();
    }

    @Test
    void request_hostileOnes_areClearErrors() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 2/min }");
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 65; i++) {
            many.put("a" + i, "x");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.weir.check(many))
                .withMessageContaining("65");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.check("user", "x".repeat(8193)))
                .withMessageContaining("8193");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.check("user", null))
                .withMessageContaining("user");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.check("n".repeat(300), "x"))
                .withMessageContaining("300");
        for (long cost : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Request(Map.of(), cost, Map.of()));
            assertThatIllegalArgumentException().isThrownBy(() -> new Request(Map.of(), 1, Map.of("a", cost)));
        }
        assertThat(engine.store.entries()).isZero();
    }

    @Test
    void outcome_showsNobody() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 2/min }");
        assertThat(engine.check("user", "alice").toString())
                .contains("a 1 left")
                .doesNotContain("alice");
    }

    @Test
    void reconfigure_keepsCountsAndAppliesAtOnce() {
        PresetEngine engine = limits("{ name: a, per: [user], rate: 10/min }");
        engine.allowed(4, "user", "u");
        engine.weir.reconfigure(PresetEngine.configuration("limits: [{ name: a, per: [user], rate: 5/min }]\n"));
        assertThat(engine.allowed(9, "user", "u")).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.weir.reconfigure(PresetEngine.configuration(
                        "store: redis://localhost\nlimits: [{ name: a, per: [user], rate: 50/min }]\n")))
                .withMessageContaining("store was changed");
        assertThat(engine.allowed(9, "user", "u")).isZero();
    }

    private static Map<String, Map<String, String>> rates(String row, String rate) {
        return Map.of("a", Map.of(row, rate));
    }

    private static SettingsChange override(
            PresetEngine engine, String attribute, String value, Map<String, Map<String, String>> rates) {
        return new SettingsChange.PutOverride("admin", engine.clock.wall(), new Subject(attribute, value), rates);
    }

    private static void change(PresetEngine engine, SettingsChange change) {
        engine.weir.change(change);
    }

    @Test
    void nullArguments_areNamed() {
        try (PresetEngine engine = PresetEngine.yaml("limits:\n  - { name: all, rate: 5/s }\n")) {
            Weir weir = engine.weir;
            Map<String, String> noName = new HashMap<>();
            noName.put(null, "x");
            Map<String, String> noValue = new HashMap<>();
            noValue.put("user", null);
            Map<String, Long> noCost = new HashMap<>();
            noCost.put("all", null);
            assertThatNullPointerException()
                    .isThrownBy(() -> weir.check((Map<String, String>) null))
                    .withMessage("attributes is null; it may be empty");
            assertThatNullPointerException()
                    .isThrownBy(() -> weir.check((Request) null))
                    .withMessage("request is null");
            assertThatNullPointerException()
                    .isThrownBy(() -> weir.checkInStages(Request.of(Map.of()), null))
                    .withMessageStartingWith("later is null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> weir.check(noName))
                    .withMessageStartingWith("an attribute's name is null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> weir.check(noValue))
                    .withMessage("attribute 'user' has no value; leave it out");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Request(Map.of(), 1, noCost))
                    .withMessage("costs.all is null; leave it out");
        }
    }
}
