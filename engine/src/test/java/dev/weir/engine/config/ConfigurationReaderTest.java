package dev.weir.engine.config;

import static dev.weir.engine.config.ReadConfiguration.accept;
import static dev.weir.engine.config.ReadConfiguration.faults;
import static dev.weir.engine.config.ReadConfiguration.limit;
import static dev.weir.engine.config.ReadConfiguration.limitFaults;
import static dev.weir.engine.config.ReadConfiguration.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.address.ProxyHeader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.event.AlertRule;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationReaderTest {
    /** The example of the contract, verbatim. */
    static final String CONTRACT = """
            version: 1
            enabled: true                      # the feature flag: false passes everything untouched
            store: memory                      # or a URI, see Stores
            on-store-failure: deny             # deny (default) | allow; a limit may set its own

            trusted-proxies: [127.0.0.1/32]    # who may speak for a client's address
            ipv6-prefix: 64                    # IPv6 clients are one per /64

            defaults: { tenant: public }       # attributes that a request lacks

            classify:                          # derive attributes from others, first match wins
              - set: tier
                from: action                   # or path (globs), type, method ...
                values:
                  light: [ping, status]
                  heavy: [task_submit]
                default: normal

            limits:
              - name: general                  # unique
                match: { channel: http, path: "/api/**" }   # all must hold; value, list, or glob
                per: [user]                    # the key; "user|ip" takes the first present; [] is one for all
                by: plan                       # rows of `rate` are chosen by this attribute
                rate: { free: 60/min, monthly: 300/min, annual: 600/min, default: 60/min }
                algorithm: token-bucket        # default; fixed-window | sliding-window | concurrency
                burst: 60                      # capacity; default: the rate's number
                cost: 1                        # a number, an attribute's name, or rows by an attribute
                warn: 80%                      # warn when this share is used
                shadow: false                  # true: decide and report, never refuse
                on-store-failure: deny

            penalty:                           # progressive backoff
              per: [agent]
              backoff: [1s, 2s, 5s, 10s, 30s]
              reset-after: 60s
              enforce: false                   # true: refuse (reason `penalized`) until the backoff has passed

            exempt: { agent: [dashboard] }

            alerts:
              - { violations: 10, within: 5m, per: [agent], webhook: "https://example.org/hook" }
              - { denied-share: 50%, within: 5m }
            """;

    @TempDir
    Path directory;

    @Test
    void contractsExample_isReadWhole() {
        Configuration configuration = accept(CONTRACT);

        assertThat(configuration.enabled()).isTrue();
        assertThat(configuration.store()).isEqualTo("memory");
        assertThat(configuration.onStoreFailure()).isEqualTo(FailurePolicy.DENY);
        assertThat(configuration.trustedProxies()).containsExactly("127.0.0.1/32");
        assertThat(configuration.ipv6Prefix()).isEqualTo(64);
        assertThat(configuration.defaults()).containsExactly(Map.entry("tenant", "public"));
        assertThat(configuration.classify())
                .containsExactly(new ClassifyRule(
                        "tier",
                        "action",
                        Map.of("light", List.of("ping", "status"), "heavy", List.of("task_submit")),
                        "normal"));
        assertThat(configuration.classify().get(0).values().keySet()).containsExactly("light", "heavy");
        assertThat(configuration.penalty())
                .isEqualTo(new PenaltyRule(
                        List.of("agent"),
                        List.of(1, 2, 5, 10, 30).stream()
                                .map(Duration::ofSeconds)
                                .toList(),
                        Duration.ofSeconds(60),
                        false));
        assertThat(configuration.exempt()).containsExactly(Map.entry("agent", Set.of("dashboard")));
        assertThat(configuration.alerts())
                .containsExactly(
                        new AlertRule.Violations(
                                "violations-1",
                                10,
                                Duration.ofMinutes(5),
                                List.of("agent"),
                                URI.create("https://example.org/hook"),
                                null),
                        new AlertRule.DeniedShare("denied-share-2", 50, Duration.ofMinutes(5), 20, null, null));
        LimitRule limit = configuration.limit("general");
        assertThat(limit.match())
                .containsExactly(
                        Map.entry("channel", Condition.anyOf("http")), Map.entry("path", Condition.anyOf("/api/**")));
        assertThat(limit.per()).containsExactly(List.of("user"));
        assertThat(limit.by()).isEqualTo("plan");
        assertThat(limit.rates().keySet()).containsExactly("free", "monthly", "annual", "default");
        assertThat(limit.algorithm()).isEqualTo(Algorithm.TOKEN_BUCKET);
        assertThat(limit.burst()).containsExactly(Map.entry("default", 60L));
        assertThat(limit.cost()).isEqualTo(new CostRule.Fixed(1));
        assertThat(limit.warnPercent()).isEqualTo(80);
        assertThat(limit.shadow()).isFalse();
        assertThat(limit.onStoreFailure()).isEqualTo(FailurePolicy.DENY);
        assertThat(limit.onMissing()).isEqualTo(MissingPolicy.SKIP);
    }

    @Test
    void shownStore_holdsNoSecret() {
        assertThat(shown("memory")).isEqualTo("memory");
        assertThat(shown("redis://localhost:6379")).isEqualTo("redis://localhost:6379");
        assertThat(shown("redis://u:secret@h:1/2?timeout=1s")).isEqualTo("redis://...@h:1/2?...");
        assertThat(shown("jdbc:postgresql://h/db?user=u&password=secret")).isEqualTo("jdbc:postgresql://h/db?...");
        assertThat(shown("jdbc:sqlite:weir.db?x=secret")).isEqualTo("jdbc:sqlite:weir.db?...");
        assertThat(shown("redis://h?password=sec@ret")).isEqualTo("redis://...");
        assertThat(shown("redis://u:se?cret@h")).isEqualTo("redis://...");
    }

    private static String shown(String store) {
        return accept("store: '" + store + "'\nlimits: []\n").shownStore();
    }

    @Test
    void onMissing_isSkipOrDeny() {
        assertThat(limit("rate: 5/s", "per: [user]", "on-missing: deny").onMissing())
                .isEqualTo(MissingPolicy.DENY);
        assertThat(limitFaults("rate: 5/s", "per: [user]", "on-missing: refuse"))
                .containsExactly("w.yaml:5:17: on-missing is 'refuse'; it must be skip or deny");
    }

    @Test
    void alertsSecret_signsItsWebhook_andIsNeverShown() {
        String secret = "a-secret-of-twenty-characters";
        Configuration configuration = accept("alerts:\n"
                + "  - { violations: 3, webhook: 'https://example.org/a', secret: " + secret + " }\n"
                + "  - { denied-share: 5%, webhook: 'https://example.org/b', secret: " + secret + " }\n"
                + "limits: []\n");

        assertThat(configuration.alerts()).allSatisfy(alert -> {
            assertThat(alert.secret()).isEqualTo(secret);
            assertThat(alert.toString()).doesNotContain(secret);
        });
        assertThat(configuration.toString()).doesNotContain(secret);
        assertThat(faults("alerts:\n  - { violations: 3, secret: " + secret + " }\nlimits: []\n"))
                .containsExactly("w.yaml:2:22: secret signs what is sent to 'webhook', and there is none; remove it");
        assertThat(faults("alerts:\n  - { violations: 3, webhook: 'https://example.org/a', secret: tooshort }\n"
                        + "limits: []\n"))
                .containsExactly("w.yaml:2:64: secret is not shown; it must be 16 to 256 characters");
    }

    @Test
    void forwardAuth_namesTheHeadersThatCount() {
        Configuration configuration = accept("""
                trusted-proxies: [10.0.0.1]
                forward-auth: { headers: { user: X-User, site: X-Site }, client-address: forwarded }
                limits: []
                """);

        assertThat(configuration.forwardAuth())
                .isEqualTo(new ForwardAuthRule(Map.of("user", "X-User", "site", "X-Site"), ProxyHeader.FORWARDED));
        assertThat(accept("forward-auth: {}\nlimits: []\n").forwardAuth()).isEqualTo(ForwardAuthRule.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "path", "method", "host", "channel"})
    void forwardAuth_headerForAComputedAttribute_isAFault(String attribute) {
        assertThat(faults("trusted-proxies: [10.0.0.1]\nforward-auth:\n  headers:\n    " + attribute
                        + ": X-Weir-Thing\nlimits: []\n"))
                .containsExactly("w.yaml:4:5: '" + attribute + "' follows from the request itself and no header may set"
                        + " it; remove this line, or choose another attribute than ip, path, method, host, channel");
    }

    @Test
    void exempt_unknownAddress_isAFault() {
        assertThat(faults("exempt: { ip: [192.0.2.1, unknown] }\nlimits: []\n"))
                .containsExactly("w.yaml:1:27: 'unknown' is every client whose address is not known, and cannot be"
                        + " exempt; remove it");
    }

    @Test
    void forwardAuth_badValues_areFaults() {
        assertThat(faults("forward-auth: { headers: { user: 'X User' }, client-address: both }\nlimits: []\n"))
                .containsExactly(
                        "w.yaml:1:34: user is 'X User'; it must be a header's name such as X-User: 1 to 64 letters,"
                                + " digits, or '-'",
                        "w.yaml:1:62: client-address is 'both'; it must be x-forwarded-for or forwarded");
        assertThat(faults("forward-auth: { header: { user: X-User } }\nlimits: []\n"))
                .containsExactly("w.yaml:1:17: unknown key 'header' in 'forward-auth'; did you mean 'headers'?");
    }

    @Test
    void pathPattern_thatNoPathMatches_isAFaultWithItsCure() {
        assertThat(limitFaults("rate: 5/s", "match: { path: \"files/*\" }"))
                .containsExactly(
                        "w.yaml:4:14: path is 'files/*', which no path matches, as each begins with '/'; did you"
                                + " mean '/files/*'?");
        assertThat(limitFaults("rate: 5/s", "match: { path: [/a, \"*\"] }"))
                .containsExactly(
                        "w.yaml:4:14: path is '*', which no path matches, as each begins with '/'; did you mean"
                                + " '**'?");
        assertThat(faults("limits: []\nclassify:\n  - { set: tier, from: path, values: { a: [\"**\", x/y] } }\n"))
                .containsExactly(
                        "w.yaml:3:50: path is 'x/y', which no path matches, as each begins with '/'; did you mean"
                                + " '/x/y'?");
        assertThat(limit("rate: 5/s", "match: { path: [\"**\", \"**/x\", /y, null], type: \"files/*\" }"))
                .isNotNull();
    }

    @Test
    void paths_isReadWithItsDefaults() {
        assertThat(accept("limits: []\npaths: { ambiguous: refuse }\n").paths())
                .isEqualTo(new PathRules(AmbiguousPaths.REFUSE, PathCase.SENSITIVE));
        assertThat(accept("limits: []\npaths: { case: insensitive }\n").paths())
                .isEqualTo(new PathRules(AmbiguousPaths.COUNT_ALL, PathCase.INSENSITIVE));
        assertThat(faults("limits: []\npaths: { case: lower, ambiguus: refuse }\n"))
                .containsExactly(
                        "w.yaml:2:16: case is 'lower'; it must be sensitive or insensitive",
                        "w.yaml:2:23: unknown key 'ambiguus' in 'paths'; did you mean 'ambiguous'?");
    }

    @Test
    void leastConfiguration_hasTheDocumentedDefaults() {
        Configuration configuration = accept("limits:\n  - { name: all, rate: 5/s }\n");

        assertThat(configuration)
                .isEqualTo(new Configuration(
                        true,
                        "memory",
                        FailurePolicy.DENY,
                        List.of(),
                        ForwardAuthRule.NONE,
                        64,
                        Map.of(),
                        List.of(),
                        List.of(new LimitRule(
                                "all",
                                Map.of(),
                                List.of(),
                                null,
                                Map.of("default", List.of(new Rate(5, Duration.ofSeconds(1)))),
                                Algorithm.TOKEN_BUCKET,
                                Map.of(),
                                new CostRule.Requested(),
                                null,
                                null,
                                false,
                                FailurePolicy.DENY,
                                MissingPolicy.SKIP,
                                null,
                                null)),
                        null,
                        Map.of(),
                        List.of(),
                        new HoldRule(Duration.ofHours(1), Duration.ofHours(1), 1_000),
                        new PathRules(AmbiguousPaths.COUNT_ALL, PathCase.SENSITIVE)));
    }

    @Test
    void holds_asGiven_areRead_andBounded() {
        assertThat(accept("""
                        limits: []
                        holds: { longest-reservation: 10m, longest-lease: 7d, open-reservations: 5 }
                        """).holds()).isEqualTo(new HoldRule(Duration.ofMinutes(10), Duration.ofDays(7), 5));
        assertThat(faults("""
                        limits: []
                        holds: { longest-reservation: 8d, longest-lease: 1ms, open-reservations: 0, longest: 1h }
                        """))
                .hasSize(4)
                .anyMatch(fault -> fault.contains("longest-reservation is '8d'; it must be a second to 7 days"))
                .anyMatch(fault -> fault.contains("longest-lease is '1ms'; it must be a second to 7 days"))
                .anyMatch(fault -> fault.contains("unknown key 'longest' in 'holds'"));
    }

    @Test
    void penalty_withoutMore_hasTheBackoffOfTheReferenceSystem() {
        PenaltyRule penalty = accept("limits: []\npenalty: { per: agent }\n").penalty();

        assertThat(penalty.backoff()).hasSize(5).endsWith(Duration.ofSeconds(30));
        assertThat(penalty.resetAfter()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void charge_inBothForms_isRead() {
        assertThat(charge("on-status 401")).containsExactly("401");
        assertThat(charge("on-status 401, 5xx")).containsExactly("401", "5xx");
        assertThat(charge("{ on-status: 401 }")).containsExactly("401");
        assertThat(charge("{ on-status: [401, 4xx] }")).containsExactly("401", "4xx");
        assertThat(new ChargeRule(List.of("401", "5xx")).includes(503)).isTrue();
        assertThat(new ChargeRule(List.of("401", "5xx")).includes(403)).isFalse();
    }

    private static List<String> charge(String text) {
        String value = text.startsWith("{") ? text : "\"" + text + "\"";
        return accept("limits:\n  - { name: a, rate: 5/s, charge: " + value + " }\n")
                .limits()
                .get(0)
                .charge()
                .statuses();
    }

    @Test
    void charge_withAFault_isToldWithItsPlace() {
        assertThat(faults("limits:\n  - { name: a, rate: 5/s, charge: on-state 401 }\n")
                        .toString())
                .contains("charge is 'on-state 401'; it must be 'on-status' and statuses");
        assertThat(faults("limits:\n  - { name: a, rate: 5/s, charge: { on-status: [401, 4x] } }\n")
                        .toString())
                .contains("on-status is '4x'; it must be a status from 100 to 599, or a class such as 4xx");
        assertThat(faults("limits:\n  - { name: a, rate: 5, algorithm: concurrency, charge: on-status 401 }\n")
                        .toString())
                .contains("charge is for rates");
    }

    @Test
    void threeFaults_areReportedInOneRun_eachWithItsPlace() {
        assertThat(faults("""
                        limits:
                          - name: general
                            rate: 60/mni
                            burts: 5
                        ipv6-prefix: 129
                        """))
                .containsExactly(
                        "w.yaml:3:11: rate is '60/mni'; its period must be s, min, hour, day, month or a duration such as 30s,"
                                + " 5m, 1h30m or 500ms; did you mean 'min'?",
                        "w.yaml:4:5: unknown key 'burts' in limit 'general'; did you mean 'burst'?",
                        "w.yaml:5:14: ipv6-prefix is '129'; it must be 1 to 128");
    }

    @Test
    void unknownKey_nearNothing_listsWhatThereIs() {
        assertThat(faults("limits: []\nxyzzyplugh: 1\n"))
                .singleElement()
                .asString()
                .startsWith(
                        "w.yaml:2:1: unknown key 'xyzzyplugh' in the configuration; choose one of version, enabled,");
    }

    @Test
    void duplicateKey_isRefusedWithBothPlaces() {
        assertThat(faults("limits: []\nstore: memory\nstore: memory\n"))
                .containsExactly("w.yaml:3:1: 'store' is given twice, first on line 2; remove one of them");
    }

    @Test
    void limitName_givenTwice_isRefused() {
        assertThat(faults("limits:\n  - { name: a, rate: 1/s }\n  - { name: a, rate: 1/s }\n"))
                .containsExactly("w.yaml:3:13: there is a limit 'a' already, on line 2; names must be unique");
    }

    @Test
    void emptyFile_saysWhatIsNeeded() {
        for (String text : List.of("", "\n\n", "# nothing\n", "\uFEFF")) {
            assertThat(faults(text))
                    .as(text)
                    .containsExactly("w.yaml:1:1: the file is empty; a configuration needs at least 'limits:'");
        }
        assertThat(faults("---\n"))
                .containsExactly("w.yaml:2:1: the file is empty; it must be a mapping that has at least 'limits:'");
        assertThat(faults("[1]"))
                .containsExactly("w.yaml:1:1: the file is a list; it must be a mapping that has at least 'limits:'");
        assertThat(faults("version: 1\n"))
                .containsExactly("w.yaml:1:1: the configuration has no 'limits'; it needs one");
    }

    @Test
    void emptyValue_isNotTakenForAnAbsentOne() {
        assertThat(faults("limits:\nstore:\n"))
                .containsExactly(
                        "w.yaml:1:8: limits is empty; it must be a list",
                        "w.yaml:2:7: store is empty; it must be memory, or begin with redis://, rediss://,"
                                + " redis-cluster://, redis-sentinel://, jdbc:sqlite:, jdbc:postgresql:, cluster://,"
                                + " durable-objects+http:// or durable-objects+https://");
    }

    @Test
    void byteOrderMark_isSkipped() {
        assertThat(faults("\uFEFFlimits: []\nfoo: 1"))
                .singleElement()
                .asString()
                .startsWith("w.yaml:2:1: ");
    }

    @Test
    void secondDocument_isRefused() {
        assertThat(faults("limits: []\n---\nlimits: []\n"))
                .containsExactly("w.yaml:2:1: a second document begins here; a configuration is one document");
    }

    @Test
    void aliasesAnchorsTagsAndMerges_areRefusedWhereTheyStand() {
        assertThat(faults("""
                        defaults: &d { a: 1 }
                        exempt: { <<: *d, b: !!str 1 }
                        limits: *d
                        """))
                .containsExactly(
                        "w.yaml:1:11: an anchor (&name) may not be in a configuration; remove it, and write the value"
                                + " out wherever it is needed",
                        "w.yaml:2:11: a merge key (<<) may not be in a configuration; write the keys out",
                        "w.yaml:2:15: an alias (*name) may not be in a configuration; write the value out",
                        "w.yaml:2:22: a tag (!name) may not be in a configuration; remove it, and quote the value if it"
                                + " is a text",
                        "w.yaml:3:9: an alias (*name) may not be in a configuration; write the value out");
    }

    @Test
    void aliasBomb_isRefusedAtOnce() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 60; i++) {
            bomb.append("a")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [*a")
                    .append(i - 1)
                    .append(", *a");
            bomb.append(i - 1).append("]\n");
        }
        assertThat(faults(bomb.toString())).hasSizeGreaterThan(50);
    }

    @Test
    void deepNesting_isRefused() {
        for (String deep : List.of("[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000) + "a")) {
            assertThat(faults("limits: []\nexempt:\n  " + deep))
                    .singleElement()
                    .asString()
                    .contains("w.yaml:3:", "nested more than 20 deep");
        }
    }

    @Test
    void longFile_isRefused() {
        String comment = "# " + "x".repeat(1 << 20) + "\n";
        assertThat(faults(comment + "limits: []")).singleElement().asString().contains("larger than 1048576");
    }

    @Test
    void faultsBeyondAHundred_areCounted() {
        assertThat(faults("limits: []\n" + many(300)))
                .hasSize(Faults.MOST + 1)
                .last()
                .asString()
                .endsWith("there are more faults than these 100");
    }

    private static String many(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("key").append(i).append(": x\n");
        }
        return text.toString();
    }

    @Test
    void brokenYaml_isExplainedWhereItBegins() {
        assertThat(faults("limits: [\n  - a\n"))
                .containsExactly(
                        "w.yaml:2:3: an item with '-' is inside '[ ]'; separate items by commas there, or remove the"
                                + " bracket");
        assertThat(faults("limits: [a, b\nstore: memory\n"))
                .containsExactly("w.yaml:1:9: a list is opened here by '[' and not closed; add ']' where it ends");
        assertThat(faults("limits:\n  - { name: a\n"))
                .containsExactly("w.yaml:2:5: a mapping is opened here by '{' and not closed; add '}' where it ends");
        assertThat(faults("limits: []\nstore: a: b\n"))
                .containsExactly(
                        "w.yaml:2:9: a second ':' in one value; put the value in quotes if the colon belongs to it");
        assertThat(faults("limits:\n\t- a\n"))
                .containsExactly("w.yaml:2:1: a tab indents this line; YAML allows only spaces there");
        assertThat(faults("limits:\n  - name: @a\n"))
                .containsExactly("w.yaml:2:11: a value cannot begin with '@'; put it in quotes");
        assertThat(faults("store: 'memory' now\nlimits: []\n"))
                .containsExactly(
                        "w.yaml:1:17: there is more text behind a complete value; put the whole value in quotes");
    }

    @Test
    void openQuote_isReportedAtItsOpening() {
        assertThat(faults("limits:\n  - name: 'general\n    rate: 5/s\n"))
                .containsExactly(
                        "w.yaml:2:11: a quote is opened here and never closed; add the closing single quote (')");
        assertThat(faults("limits:\n  - name: \"general\n    rate: 5/s\n"))
                .containsExactly(
                        "w.yaml:2:11: a quote is opened here and never closed; add the closing double quote (\")");
    }

    @Test
    void wrongIndentation_isReportedWithBothNumbers() {
        assertThat(faults("limits:\n  - name: a\n     rate: 5/s\n"))
                .containsExactly(
                        "w.yaml:3:6: this line is indented by 5 spaces, but the mapping of line 2 by 4 spaces; indent"
                                + " both alike");
        assertThat(faults("limits:\n  - name: a\n   rate: 5/s\n"))
                .containsExactly(
                        "w.yaml:3:4: this line is indented by 3 spaces, but what it continues began on line 2 with 2"
                                + " spaces; indent both alike");
        assertThat(faults("limits:\n  - name a\n    rate: 5/s\n"))
                .containsExactly("w.yaml:2:5: this line has no ':'; a key needs one, such as 'rate: 60/min'");
        assertThat(faults("limits:\n  - name: a\n    rate\n  - name: b\n"))
                .containsExactly("w.yaml:3:5: this line has no ':'; a key needs one, such as 'rate: 60/min'");
    }

    @Test
    void binaryFile_isRefusedWithThePlace() {
        ConfigurationReader reader = new ConfigurationReader(name -> null);

        assertThat(faults(reader.read("w.yaml", new byte[] {'a', '\n', 'b', 0, 1})))
                .containsExactly("w.yaml:2:2: the character U+0000 may not be in YAML; is this a text file?");
        assertThat(faults(reader.read("w.yaml", new byte[] {'a', '\n', 'b', 'c', (byte) 0xff})))
                .containsExactly("w.yaml:2:3: the byte 0xFF is not UTF-8 here; save the file as UTF-8");
        assertThat(faults(reader.read("w.yaml", "limits: []".getBytes(StandardCharsets.UTF_16))))
                .containsExactly("w.yaml:1:1: the byte 0xFE is not UTF-8 here; save the file as UTF-8");
        assertThat(faults(reader.read("w.yaml", new byte[] {'a', (byte) 0xc3})))
                .containsExactly("w.yaml:1:2: the byte 0xC3 is not UTF-8 here; save the file as UTF-8");
    }

    @Test
    void files_thatCannotBeRead_areFaults() throws Exception {
        ConfigurationReader reader = new ConfigurationReader(name -> null);
        Path file = directory.resolve("w.yaml");

        assertThat(faults(reader.read(file))).containsExactly(file + ":1:1: there is no such file");
        assertThat(faults(reader.read(directory)))
                .containsExactly(directory + ":1:1: this is a directory; it must be a file");
        Files.writeString(file, "limits: []");
        assertThat(reader.read(file)).isInstanceOf(Result.Accepted.class);
        assertThat(faults(reader.read(file.resolve("x"))))
                .singleElement()
                .asString()
                .contains("cannot be read");
    }

    @Test
    void orThrow_carriesEveryFault() {
        assertThatThrownBy(() -> read("limits: 1\nstore: x\n").orThrow())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("w.yaml:1:9: ")
                .hasMessageContaining("w.yaml:2:8: ");
    }

    @Test
    void stores_areChecked_withoutShowingPasswords() {
        for (String store : List.of(
                "memory",
                "redis://u:p@h:6379/1",
                "rediss://h",
                "redis-cluster://a:1,b:2",
                "redis-sentinel://a:1,b:2/m",
                "jdbc:sqlite:x.db",
                "jdbc:postgresql://h/db?user=x",
                "cluster://n?bind=h:1&members=h:1",
                "durable-objects+https://w.host?token=t")) {
            assertThat(accept("limits: []\nstore: \"" + store + "\"\n").store()).isEqualTo(store);
        }
        assertThat(faults("limits: []\nstore: memroy\n"))
                .singleElement()
                .asString()
                .startsWith("w.yaml:2:8: store is 'memroy'; it must be memory, or begin with redis://")
                .endsWith("did you mean 'memory'?");
        assertThat(faults("limits: []\nstore: reddis://u:secret@h\n"))
                .singleElement()
                .asString()
                .doesNotContain("secret")
                .contains("'reddis:...'")
                .endsWith("did you mean 'redis:'?");
        assertThat(faults(read("limits: []\nstore: ${S}\n", Map.of("S", "secret"))))
                .singleElement()
                .asString()
                .doesNotContain("secret");
    }

    @Test
    void trustedProxies_areAddressesOrBlocks() {
        assertThat(accept(
                                "limits: []\ntrusted-proxies: [10.0.0.0/8, 192.0.2.1, \"::1\", fd00::/8, \"::ffff:1.2.3.4\"]\n")
                        .trustedProxies())
                .hasSize(5);
        for (String bad : List.of(
                "10.0.0/8",
                "10.0.0.0/33",
                "256.0.0.1",
                "fd00::/129",
                "10.1.2.3/8",
                "localhost",
                "1.2.3.4.5",
                "::1::",
                "1.2.3.4/",
                ":",
                "10.0.0.0/8/8",
                "01.2.3.4",
                "dead.beef",
                "::1%lo")) {
            assertThat(faults("limits: []\ntrusted-proxies: [\"" + bad + "\"]\n"))
                    .as(bad)
                    .singleElement()
                    .asString()
                    .startsWith("w.yaml:2:19: trusted-proxies is '" + bad + "'; ");
        }
    }

    @Test
    void classify_thatRefersToNothing_isRefused() {
        assertThat(faults("""
                        classify:
                          - { set: a, from: a, values: { x: [1] } }
                          - { set: b, from: c, values: { x: [p, q], y: [q] }, default: z }
                          - { set: c, from: d, values: {} }
                        limits:
                          - name: l
                            match: { b: [xx, y, "q*"] }
                            by: b
                            rate: { x: 1/s, zz: 1/s, default: 1/s }
                        """))
                .containsExactly(
                        "w.yaml:2:21: from is 'a', the attribute that the rule sets; it must be another one",
                        "w.yaml:3:21: from is 'c', which only a later rule sets; move that rule up",
                        "w.yaml:3:49: 'q' is in class 'x' already, and the first match wins; remove one of them",
                        "w.yaml:4:32: values has no class; it needs at least one",
                        "w.yaml:7:14: no rule of 'classify' sets b to 'xx'; did you mean 'x'?",
                        "w.yaml:9:21: no rule of 'classify' sets b to 'zz'; did you mean 'z'?");
    }

    @Test
    void penaltyAndAlerts_areChecked() {
        assertThat(faults("""
                        limits: []
                        penalty: { per: [], backoff: [], reset-after: 60, enforce: maybe }
                        alerts:
                          - {}
                          - { violations: 0, denied-share: 5% }
                          - { denied-share: 0.5, per: [a], webhook: ftp://x }
                          - { violations: 1, within: 0s }
                          - { violations: 1, within: 10ms }
                          - { violations: 1, webhook: "https://user:password@example.org/" }
                        """))
                .containsExactly(
                        "w.yaml:2:17: per is an empty list; it must name the attribute of the subject",
                        "w.yaml:2:30: backoff is an empty list; it needs at least one duration such as 30s, 5m, 1h30m or"
                                + " 500ms",
                        "w.yaml:2:47: reset-after is '60'; it must be a duration such as 30s, 5m, 1h30m or 500ms; did you"
                                + " mean 60s?",
                        "w.yaml:2:60: enforce is 'maybe'; it must be true or false",
                        "w.yaml:4:5: an alert has neither 'violations' nor 'denied-share'; it needs one of them",
                        "w.yaml:5:5: an alert has both 'violations' and 'denied-share'; make two alerts of them",
                        "w.yaml:5:19: violations is '0'; it must be 1 to 10000",
                        "w.yaml:6:21: denied-share is '0.5'; it must be 1% to 100%",
                        "w.yaml:6:26: per is for 'violations'; 'denied-share' counts all requests",
                        "w.yaml:6:45: webhook is not one of these ('ftp:...'); it must be an http or https address such as"
                                + " https://example.org/hook",
                        "w.yaml:7:30: within is '0s'; it must be a millisecond to a hundred years",
                        "w.yaml:8:30: within is 10ms; for an alert it must be a second to 31 days",
                        "w.yaml:9:31: webhook is not one of these ('https:...'); it must be an http or https address such as"
                                + " https://example.org/hook");
    }

    @Test
    void version_isOneOrRefused() {
        assertThat(faults("version: 2\nlimits: []\n"))
                .containsExactly("w.yaml:1:10: version is '2'; this Weir reads version 1");
    }
}
