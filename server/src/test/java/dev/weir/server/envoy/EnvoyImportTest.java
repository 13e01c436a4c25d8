package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.server.envoy.EnvoyImport.Imported;
import dev.weir.server.envoy.EnvoyVectors.Step;
import dev.weir.server.envoy.EnvoyVectors.Vector;
import dev.weir.testkit.FakeClock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Imported files decide as Envoy's do. */
class EnvoyImportTest {
    /** The vectors whose files Weir can express: without what the import notes, overrides, and empty values. */
    static List<Vector> vectors() {
        return EnvoyVectors.all().stream()
                .filter(vector -> !vector.strict() && !vector.headers())
                .filter(vector -> imported(vector).notes().stream().allMatch(note -> note.contains("unlimited")))
                .filter(vector -> vector.steps().stream().allMatch(EnvoyImportTest::isExpressible))
                .toList();
    }

    private static boolean isExpressible(Step step) {
        return step.query().descriptors().stream()
                .allMatch(descriptor -> descriptor.override() == null
                        && descriptor.entries().stream()
                                .allMatch(entry -> !entry.value().isEmpty()
                                        && entry.value().length() <= 4_096
                                        // A path has a normal form in Weir, which Envoy does not know.
                                        && (!entry.key().equals("path")
                                                || entry.value().matches("(/[a-z0-9.]+)+"))));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void importedFile_decidesTheSame(Vector vector) {
        FakeClock clock = new FakeClock();
        try (Weir weir = Weir.of(
                configuration(imported(vector)),
                MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock)),
                new InMemorySettings(),
                WeirOptions.defaults().withClock(clock::wall))) {
            RateLimitDecisions decisions =
                    EnvoyService.byAttributes(weir, ReplyOptions.DEFAULT).decisions();
            for (Step step : vector.steps()) {
                clock.set(FakeClock.START.plus(step.at()));
                RateLimitReply reply = decisions.decide(step.query()).await();
                assertThat(reply.allowed())
                        .as(step.request())
                        .isEqualTo(step.expected().allowed());
                assertThat(reply.statuses())
                        .extracting(RateLimitReply.DescriptorStatus::allowed)
                        .as(step.request())
                        .isEqualTo(step.expected().statuses().stream()
                                .map(RateLimitReply.DescriptorStatus::allowed)
                                .toList());
            }
        }
    }

    @Test
    void vectors_areMostOfThose_thatAreAllOrNothing() {
        assertThat(vectors()).hasSizeGreaterThan(60);
    }

    @Test
    void fortyDescriptors_areImported_withANoteForEachDifference() {
        Imported imported = EnvoyImport.of(
                EnvoyVectors.configuration(List.of(EnvoyVectors.resource("forty-descriptors.yaml"))), "forty.yaml");

        Configuration configuration = configuration(imported);
        assertThat(configuration.limits()).hasSize(39);
        assertThat(imported.notes())
                .containsExactly(
                        "storefront.remote_address_10._-"
                                + imported.notes().get(0).replaceAll(".*-([0-9a-f]{12}) .*", "$1")
                                + " is unlimited; no limit is written",
                        "storefront.campaign_summer replaces free_minute, pro_minute; in Weir all of them apply",
                        "storefront.mail.to has windows that begin with their first request; Envoy's are aligned to"
                                + " multiples of a week since 1970",
                        "storefront.report has windows that begin with their first request; Envoy's are aligned to"
                                + " multiples of a month since 1970",
                        "storefront.audit has windows that begin with their first request; Envoy's are aligned to"
                                + " multiples of a year since 1970");
        assertThat(imported.yaml()).startsWith("# Imported from forty.yaml.\n# Note: storefront.remote_address_10._-");
    }

    @Test
    void text_isAFileThatPeopleCanRead() {
        assertThat(EnvoyImport.of(EnvoyConfigurationReader.read("shop.yaml", """
                                        domain: shop
                                        descriptors:
                                          - key: plan
                                            value: free
                                            descriptors:
                                              - key: user
                                                rate_limit: { unit: hour, requests_per_unit: 1000 }
                                          - key: plan
                                            shadow_mode: true
                                            rate_limit: { unit: second, requests_per_unit: 5 }
                                        """), "shop.yaml")
                        .yaml())
                .isEqualTo("""
                        # Imported from shop.yaml.
                        version: 1

                        classify:
                          - set: envoy.class.1
                            from: plan
                            values:
                              "free": ["free"]
                            default: "(other)"

                        limits:
                          - name: shop.plan_free.user
                            match:
                              domain: "shop"
                              descriptor: "plan,user"
                              envoy.class.1: "free"
                            per: [user]
                            rate: 1000/hour
                            algorithm: fixed-window
                            calendar: UTC
                          - name: shop.plan
                            match:
                              domain: "shop"
                              descriptor: "plan"
                              envoy.class.1: "(other)"
                            per: [plan]
                            rate: 5/s
                            algorithm: fixed-window
                            calendar: UTC
                            shadow: true
                        """);
    }

    @Test
    void keysThatAreNoAttributes_areNoted() {
        Imported imported = EnvoyImport.of(EnvoyConfigurationReader.read("a.yaml", """
                        domain: a
                        descriptors:
                          - { key: ":path", rate_limit: { unit: hour, requests_per_unit: 1 } }
                          - { key: b, value: "what?", rate_limit: { unit: hour, requests_per_unit: 1 } }
                        """), "a.yaml");

        assertThat(imported.notes())
                .hasSize(2)
                .anyMatch(note -> note.endsWith("is left out: the key \":path\" cannot be the name of an attribute"))
                .anyMatch(note -> note.endsWith(
                        "is left out: the value \"what?\" has a question mark, which is a wildcard in Weir"));
        assertThat(configuration(imported).limits()).isEmpty();
    }

    private static Imported imported(Vector vector) {
        return EnvoyImport.of(EnvoyVectors.configuration(vector.files()), "vector");
    }

    private static Configuration configuration(Imported imported) {
        return new ConfigurationReader(name -> null)
                .read("imported.yaml", imported.yaml())
                .orThrow();
    }
}
