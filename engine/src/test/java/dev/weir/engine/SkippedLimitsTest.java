package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static dev.weir.engine.PresetEngine.configuration;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits that matched requests but were always skipped, because the requests lacked an attribute. */
class SkippedLimitsTest {
    private static final String LIMITS = """
            limits:
              - { name: users, match: { channel: http }, per: [user], rate: 5/hour }
              - { name: tokens, match: { channel: http }, per: [], rate: 5/hour, cost: tokens }
              - { name: slots, per: [user], rate: 1, algorithm: concurrency }
              - { name: strict, match: { channel: grpc }, per: [user], rate: 5/hour, on-missing: deny }
            """;

    private final PresetEngine engine = PresetEngine.yaml(LIMITS);
    private LogLines log = new LogLines();

    @BeforeEach
    void listen() {
        log.close();
        log = new LogLines();
    }

    @AfterEach
    void close() {
        log.close();
        engine.close();
    }

    @Test
    void limit_thatWasSkippedEachTime_isReported_withWhatTheRequestsCarried() {
        engine.allowed(3, "channel", "http", "tokens", "1", "path", "/secret");

        assertThat(engine.weir.skippedLimits()).singleElement().satisfies(report -> {
            assertThat(report.limit()).isEqualTo("users");
            assertThat(report.missing()).containsExactly("user");
            assertThat(report.skipped()).isEqualTo(3);
            assertThat(report.carried()).containsExactly("channel", "path", "tokens");
            assertThat(report.similar()).isNull();
            assertThat(report.since()).isEqualTo(engine.clock.wall());
        });
    }

    @Test
    void limit_thatAppliedOnce_isNotReportedAnyMore() {
        engine.check("channel", "http", "tokens", "1");
        engine.check("channel", "http", "tokens", "1", "user", "u");
        engine.allowed(50, "channel", "http");

        assertThat(engine.weir.skippedLimits()).isEmpty();
        assertThat(log.with("users")).isEmpty();
    }

    @Test
    void limit_thatNoRequestMatched_orThatDenies_isNotReported() {
        engine.check("channel", "ws");
        engine.check("channel", "grpc");
        assertThat(engine.weir.skippedLimits()).isEmpty();
    }

    @Test
    void missingCost_isReported_andSlotsOnlyByLeases() {
        engine.check("channel", "http", "user", "u");
        assertThat(engine.weir.skippedLimits()).extracting(SkippedLimit::limit).containsExactly("tokens");
        engine.weir.acquire(Request.of(attributes("ip", "192.0.2.1")), java.time.Duration.ofMinutes(1));
        assertThat(engine.weir.skippedLimits()).extracting(SkippedLimit::limit).containsExactly("tokens", "slots");
    }

    @Test
    void warning_comesOnce_afterTenSkips_withoutValues() {
        engine.allowed(9, "channel", "http", "tokens", "1", "path", "/secret");
        assertThat(log.with("users")).isEmpty();

        engine.allowed(100, "channel", "http", "tokens", "1", "path", "/secret");
        assertThat(log.with("users"))
                .containsExactly(
                        "limit 'users' has never applied (skipped 10): requests that it matches lack the attribute"
                                + " 'user' and carry channel, path, tokens; send what is missing, set it in 'defaults', or"
                                + " refuse such requests with 'on-missing: deny'");
    }

    @Test
    void similarName_isWarnedOfAtOnce() {
        engine.check("channel", "http", "tokens", "1", "usr", "zoe");

        assertThat(log.with("users"))
                .containsExactly(
                        "limit 'users' has never applied (skipped 1): it needs the attribute 'user', which requests"
                                + " that it matches lack; they carry the similar 'usr'. Send it as 'user'");
        assertThat(log.with("zoe")).isEmpty();
        assertThat(engine.weir.skippedLimits())
                .extracting(SkippedLimit::similar)
                .containsExactly("usr");
        engine.allowed(50, "channel", "http", "tokens", "1", "usr", "zoe");
        assertThat(log.with("users")).hasSize(1);
    }

    @Test
    void misspeltAttribute_ofALimit_isToBeCorrectedInTheLimit() {
        try (PresetEngine misspelt = PresetEngine.yaml("limits: [{ name: typo, per: [usr], rate: 5/hour }]")) {
            misspelt.check("user", "zoe", "path", "/x");
        }

        assertThat(log.with("typo"))
                .containsExactly(
                        "limit 'typo' has never applied (skipped 1): it needs the attribute 'usr', which requests"
                                + " that it matches lack; they carry the similar 'user'. Write 'user' in place of 'usr' in the limit");
    }

    @Test
    void similarNames_ofWhichNeitherIsWellKnown_areToBeMadeOne() {
        try (PresetEngine misspelt = PresetEngine.yaml("limits: [{ name: teams, per: [team-id], rate: 5/hour }]")) {
            misspelt.check("teamid", "t");
        }

        assertThat(log.with("teams"))
                .singleElement()
                .asString()
                .endsWith(
                        "they carry the similar 'teamid'. If both mean the same, write 'teamid' in place of 'team-id' in the"
                                + " limit, or send it as 'team-id'");
    }

    @Test
    void madeUpNames_fillNeitherLogNorMemory() {
        for (int i = 0; i < 20; i++) {
            Map<String, String> attributes = new HashMap<>(Map.of("channel", "http", "tokens", "1"));
            for (int j = 0; j < 50; j++) {
                attributes.put("n" + i + "\n" + j + "x".repeat(200), "v");
            }
            engine.weir.check(attributes);
        }
        assertThat(engine.weir.skippedLimits()).singleElement().satisfies(report -> {
            assertThat(report.carried()).hasSize(20).allMatch(name -> name.length() <= 65 && !name.contains("\n"));
            assertThat(report.skipped()).isEqualTo(20);
        });
        assertThat(log.with("users")).hasSize(1);
    }

    @Test
    void firstStage_doesNotCount_theSecondDoes() {
        Request request = Request.of(attributes("channel", "http", "tokens", "1"));
        TwoStageCheck left = engine.weir.checkInStages(request, Set.of("user")).now();
        left.leave();
        assertThat(engine.weir.skippedLimits()).isEmpty();

        engine.weir.checkInStages(request, Set.of("user")).now().finish(Map.of());
        assertThat(engine.weir.skippedLimits())
                .extracting(SkippedLimit::skipped)
                .containsExactly(1L);
    }

    @Test
    void change_ofSettings_keepsTheReport_aNewConfigurationBeginsAgain() {
        engine.check("channel", "http", "tokens", "1");
        engine.weir.change(new SettingsChange.AddExempt("test", engine.clock.wall(), new Subject("user", "root")));
        assertThat(engine.weir.skippedLimits()).hasSize(1);

        engine.weir.reconfigure(configuration(LIMITS));
        assertThat(engine.weir.skippedLimits()).isEmpty();
        engine.check("channel", "http", "tokens", "1");
        assertThat(engine.weir.skippedLimits()).hasSize(1);
    }
}
