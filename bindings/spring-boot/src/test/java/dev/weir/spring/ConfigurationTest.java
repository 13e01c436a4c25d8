package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.ConfigurationSchema;
import dev.weir.spring.web.AttributeSource;
import dev.weir.spring.web.FilterOrders;
import dev.weir.spring.web.LimitedPaths;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.http.server.PathContainer;

/** Sources of a configuration, and the messages of an application that cannot start with it. */
@Tag("io")
class ConfigurationTest {
    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void file_isUsed_withTheEnvironmentsPlaceholders_andFollowed() throws Exception {
        Path file = directory.resolve("weir.yaml");
        Files.writeString(file, "version: 1\nlimits:\n  - { name: a, per: [], rate: \"${the.rate}/hour\" }\n");
        try (App app = App.plain(Application.class, "weir.config=" + file.toUri(), "the.rate=2")) {
            Weir weir = app.bean(Weir.class);
            assertThat(weir.check(Map.of()).decisive().capacity()).isEqualTo(2);

            Files.writeString(file, "version: 1\nlimits:\n  - { name: b, per: [], rate: 7/hour }\n");

            await().untilAsserted(() ->
                    assertThat(weir.check(Map.of()).decisive().name()).isEqualTo("b"));
        }
    }

    @Test
    void weirYaml_inTheClassPath_isFoundByItself() {
        try (App app = App.plain(Application.class)) {
            assertThat(app.bean(Weir.class).configuration().limit("found")).isNotNull();
        }
    }

    @Test
    void preset_takesKeysInPlaceOfItsOwn() {
        try (App app = App.plain(
                Application.class,
                "weir.preset=ai-saas",
                "weir.store=memory",
                "weir.trusted-proxies=10.0.0.0/8",
                "weir.defaults.plan=annual")) {
            Weir weir = app.bean(Weir.class);
            assertThat(weir.configuration().limits()).hasSizeGreaterThan(9);
            assertThat(weir.configuration().trustedProxies()).containsExactly("10.0.0.0/8");
            assertThat(weir.configuration().defaults()).containsEntry("plan", "annual");
            assertThat(weir.configuration().store()).isEqualTo("memory");
        }
    }

    @Test
    void inline_isTheSameLanguage() throws Exception {
        Path file = directory.resolve("application.yaml");
        Files.writeString(file, """
                weir:
                  store: memory
                  ipv6-prefix: 56
                  classify:
                    - set: resource
                      from: path
                      values:
                        export: ["**/export**", "**/download**"]
                      default: other
                  limits:
                    - name: everybody
                      per: []
                      rate: 10_000/min
                    - name: ai_tokens
                      match: { resource: export, agent: null }
                      per: [tenant, "user|ip"]
                      by: plan
                      rate: { free: 5/min, default: [10/s, 300/min] }
                      warn: 80%
                      shadow: true
                  exempt:
                    user: [root, "007"]
                """);
        try (App app = App.plain(Application.class, "spring.config.location=" + file.toUri())) {
            var configuration = app.bean(Weir.class).configuration();
            var tokens = configuration.limit("ai_tokens");
            assertThat(configuration.ipv6Prefix()).isEqualTo(56);
            assertThat(configuration.limit("everybody").per()).isEmpty();
            assertThat(tokens.per()).containsExactly(List.of("tenant"), List.of("user", "ip"));
            assertThat(tokens.rates().get("default")).hasSize(2);
            assertThat(tokens.match().get("agent").orAbsent()).isTrue();
            assertThat(tokens.shadow()).isTrue();
            assertThat(tokens.warnPercent()).isEqualTo(80);
            assertThat(configuration.exempt().get("user")).containsExactly("root", "007");
        }
    }

    @Test
    void faults_areAllTold_withTheirPlaces() throws Exception {
        Path file = directory.resolve("application.yaml");
        Files.writeString(file, """
                weir:
                  limits:
                    - name: a
                      per: [user]
                      rate: 60/mni
                      burts: 5
                    - name: b
                      rate: 5/s
                      algorithm: leaky
                """);
        FailureAnalysis analysis =
                failure(new ConfigurationFailureAnalyzer(), "spring.config.location=" + file.toUri());

        assertThat(analysis.getDescription())
                .contains("There are 3 faults")
                .contains("application.yaml:5:13: rate is '60/mni'")
                .contains("application.yaml:6:14: unknown key 'burts'")
                .contains("did you mean 'burst'?")
                .contains("application.yaml:9:18: algorithm is 'leaky'");
        assertThat(analysis.getAction()).contains("Correct them");
    }

    @Test
    void faultsOfAFile_andAFileThatIsNotThere_areToldAlike() throws Exception {
        Path file = directory.resolve("limits.yaml");
        Files.writeString(file, "version: 1\nlimits:\n  - { name: a, rate: 5/mni }\n");

        assertThat(failure(new ConfigurationFailureAnalyzer(), "weir.config=" + file.toUri())
                        .getDescription())
                .contains("There is a fault", "limits.yaml:3:22: rate is '5/mni'");
        assertThat(failure(new ConfigurationFailureAnalyzer(), "weir.config=classpath:none.yaml")
                        .getDescription())
                .contains("classpath:none.yaml:1:1: there is no such file");
        assertThat(failure(new ConfigurationFailureAnalyzer(), "weir.limits[0].name=x")
                        .getDescription())
                .contains("the property weir.limits[0].name");
    }

    @Test
    void contradictions_areTold() throws Exception {
        assertThat(failure(new SetupFailureAnalyzer(), "weir.config=classpath:weir.yaml", "weir.preset=chat")
                        .getDescription())
                .contains("Both weir.config and weir.preset");
        assertThat(failure(new SetupFailureAnalyzer(), "weir.config=classpath:weir.yaml", "weir.limits[0].name=a")
                        .getAction())
                .contains("Write these into classpath:weir.yaml");
        assertThat(failure(new SetupFailureAnalyzer(), "weir.preset=ai-sas").getDescription())
                .contains("there is no preset 'ai-sas'; did you mean 'ai-saas'?");
        assertThat(failure(new SetupFailureAnalyzer(), "weir.preset=chat", "weir.store=durable-objects+http://x")
                        .getDescription())
                .contains("weir-store-durable-objects");
        Path file = directory.resolve("application.properties");
        Files.writeString(file, "weir.prest=chat\nweir.filter.odrer=5\nweir.store=memory\n");
        assertThat(failure(new SetupFailureAnalyzer(), "spring.config.location=" + file.toUri())
                        .getDescription())
                .contains(
                        "weir.prest in application.properties, line 1; did you mean weir.preset?", "weir.filter.odrer")
                .doesNotContain("weir.store");
    }

    @Test
    void unknownProperty_whereItsNameIsSurelyMeant_isRefused() {
        assertThat(failure(new SetupFailureAnalyzer(), "weir.storre=memory", "weir.filter.odrer=5")
                        .getDescription())
                .contains("weir.storre on the command line; did you mean weir.store?")
                .contains("weir.filter.odrer on the command line; did you mean weir.filter.order?");
        System.setProperty("weir.idempotancy.enabled", "true");
        try {
            assertThat(failure(new SetupFailureAnalyzer()).getDescription())
                    .contains("weir.idempotancy.enabled among the system properties; did you mean weir.idempotency?");
        } finally {
            System.clearProperty("weir.idempotancy.enabled");
        }
    }

    @Test
    void unknownVariableOfTheEnvironment_mayBeAnotherPrograms() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "variables", Map.of("WEIR_HOME", "/opt", "WEIR_PORT", "1")));

        KnownProperties.check(environment);
    }

    @Test
    void start_isReportedInOneLine_withoutSecrets() {
        PrintStream before = System.out;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setOut(new PrintStream(log, true));
        try (App app = App.servlet(Application.class, "logging.level.dev.weir=info")) {
            assertThat(log.toString())
                    .contains("Weir: 1 limit (found), store memory, web filters at orders -110 and -90");
        } finally {
            System.setOut(before);
        }
        assertThat(StartupReport.withoutSecrets("rediss://me:p@ss?w/rd@cache:6379/0?timeout=1s"))
                .isEqualTo("rediss://cache:6379/0");
        assertThat(StartupReport.withoutSecrets("jdbc:postgresql://db/weir?user=a&password=b"))
                .isEqualTo("jdbc:postgresql://db/weir");
        assertThat(StartupReport.withoutSecrets("memory")).isEqualTo("memory");
    }

    static class Misnamed {
        @RateLimited("misspelt")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class NamesNoLimit extends Application {
        @Bean
        Misnamed misnamed() {
            return new Misnamed();
        }
    }

    @Test
    void annotation_thatNamesNoLimit_isToldAtTheStart() {
        Throwable failure = catchThrowable(() -> App.plain(NamesNoLimit.class).close());

        FailureAnalysis analysis = new SetupFailureAnalyzer().analyze(failure);
        assertThat(analysis.getDescription()).contains("@RateLimited(\"misspelt\") of Misnamed.call");
        assertThat(analysis.getAction()).contains("The limits are found");
    }

    static class Unseen {
        @RateLimited("found")
        public final void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class NobodySees extends Application {
        @Bean
        Unseen unseen() {
            return new Unseen();
        }
    }

    @Test
    void annotation_thatNoProxySees_isToldAtTheStart() {
        Throwable failure = catchThrowable(() -> App.plain(NobodySees.class).close());

        assertThat(new SetupFailureAnalyzer().analyze(failure).getDescription())
                .contains("@RateLimited(\"found\") of Unseen.call is on a method that is private, static or final");
    }

    @Configuration(proxyBeanMethods = false)
    static class StoreIsGone extends Application {
        @Bean
        Weir weir() {
            throw new StoreException("connection refused: localhost:6379", true, null);
        }
    }

    @Test
    void store_thatCannotBeReached_isToldWithWhatToDo() {
        Throwable failure = catchThrowable(() -> App.plain(StoreIsGone.class).close());

        FailureAnalysis analysis = new StoreFailureAnalyzer().analyze(failure);
        assertThat(analysis.getDescription()).contains("connection refused: localhost:6379");
        assertThat(analysis.getAction()).startsWith("Start the store").contains("weir.store=memory");
    }

    @Test
    void store_thatRefusesThePassword_isNotToBeStarted() {
        StoreException refused = new StoreException("Redis at h:1 refuses the user or the password", false, null);

        FailureAnalysis analysis = new StoreFailureAnalyzer().analyze(refused);
        assertThat(analysis.getDescription()).contains("refuses the user or the password");
        assertThat(analysis.getAction()).startsWith("Correct weir.store").doesNotContainIgnoringCase("start");
    }

    @Test
    void pathsAndOrdersAndSources_areRead() {
        WeirProperties.Filter filter =
                new WeirProperties.Filter(true, null, null, List.of("/api/**"), List.of("/api/health/**"));

        assertThat(LimitedPaths.decoded(filter).contains("/api/x")).isTrue();
        assertThat(LimitedPaths.decoded(filter).contains("/api/health")).isFalse();
        assertThat(LimitedPaths.decoded(filter).contains("/api/%68ealth")).isTrue();
        assertThat(LimitedPaths.sent(filter).contains(PathContainer.parsePath("/api/health%2Fx")))
                .isTrue();
        assertThat(LimitedPaths.sent(filter).contains(PathContainer.parsePath("/api/%68ealth;a=b/x")))
                .isFalse();
        assertThat(FilterOrders.of(filter, new StandardEnvironment(), getClass().getClassLoader()))
                .isEqualTo(new FilterOrders(-110, -90));
        assertThat(FilterOrders.of(filter, new StandardEnvironment(), ClassLoader.getPlatformClassLoader()))
                .isEqualTo(new FilterOrders(-110, null));
        assertThat(AttributeSource.of("plan", "header:X-Plan").name()).isEqualTo("X-Plan");
        assertThat(catchThrowable(() -> AttributeSource.of("plan", "headers:X")))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("weir.attributes.plan is 'headers:X'");
    }

    @Test
    void properties_areExactlyThoseThatEditorsKnow() throws Exception {
        Set<String> accepted = new TreeSet<>();
        for (RecordComponent top : WeirProperties.class.getRecordComponents()) {
            if (top.getType().isRecord()) {
                for (RecordComponent inner : top.getType().getRecordComponents()) {
                    accepted.add("weir." + dashed(top) + "." + dashed(inner));
                }
            } else {
                accepted.add("weir." + dashed(top));
            }
        }
        InlineConfiguration.KEYS.forEach(key -> accepted.add("weir." + key));
        for (String nested : List.of("penalty", "holds", "paths")) {
            accepted.remove("weir." + nested);
            keys(nested).forEach(key -> accepted.add("weir." + nested + "." + key));
        }

        assertThat(metadata()).isEqualTo(accepted);
        assertThat(components(LimitKeys.class)).isEqualTo(keys("limit"));
        assertThat(components(AlertKeys.class)).isEqualTo(keys("alert"));
    }

    private static Set<String> metadata() throws Exception {
        Set<String> names = new TreeSet<>();
        for (URL url : Collections.list(
                ConfigurationTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = url.openStream()) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                if (text.contains("\"weir.")) {
                    ((List<?>) json(text).get("properties"))
                            .stream()
                                    .map(property -> (String) ((Map<?, ?>) property).get("name"))
                                    .filter(name -> name.startsWith("weir."))
                                    .forEach(names::add);
                }
            }
        }
        return names;
    }

    /** Returns the keys of a part of the configuration, from its schema. */
    private static Set<String> keys(String part) {
        Map<?, ?> definitions = (Map<?, ?>) json(ConfigurationSchema.json()).get("$defs");
        Set<String> keys = new TreeSet<>();
        ((Map<?, ?>) ((Map<?, ?>) definitions.get(part)).get("properties"))
                .keySet()
                .forEach(key -> keys.add((String) key));
        return keys;
    }

    private static Set<String> components(Class<?> type) {
        return Stream.of(type.getRecordComponents())
                .map(ConfigurationTest::dashed)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    /** Parses JSON as YAML. */
    private static Map<?, ?> json(String text) {
        return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    private static FailureAnalysis failure(AbstractFailureAnalyzer<?> analyzer, String... properties) {
        Throwable failure =
                catchThrowable(() -> App.plain(Application.class, properties).close());
        assertThat(failure).isNotNull();
        FailureAnalysis analysis = analyzer.analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        assertThat(analysis.getCause()).isInstanceOfAny(ConfigurationException.class, SetupException.class);
        return analysis;
    }
}
