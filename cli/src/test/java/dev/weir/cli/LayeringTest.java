package dev.weir.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;

/**
 * The rooms of the house, as far as the command line sees them; it sees every module but the benchmarks.
 *
 * <p>A package that is not named here counts as core, so that a new one fails until it is given its place.
 */
@AnalyzeClasses(packages = "dev.weir", importOptions = DoNotIncludeTests.class)
class LayeringTest {
    private static final String[] OUTSIDE_CORE = {
        "dev.weir.engine..",
        "dev.weir.testkit..",
        "dev.weir.fixture..",
        "dev.weir.store..",
        "dev.weir.binding..",
        "dev.weir.spring..",
        "dev.weir.client..",
        "dev.weir.server..",
        "dev.weir.cli..",
        "dev.weir.benchmarks..",
        "dev.weir.example.."
    };

    private static final DescribedPredicate<JavaClass> CORE =
            not(resideInAnyPackage(OUTSIDE_CORE)).as("are in core");

    @ArchTest
    static final ArchRule algorithms_seeOnlyTheVocabulary = classes()
            .that()
            .resideInAPackage("dev.weir.algorithm..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.weir", "dev.weir.algorithm..", "java..", "org.jspecify.annotations")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule core_seesOnlyItselfAndJava = classes()
            .that(CORE)
            .should()
            .onlyDependOnClassesThat(CORE.and(resideInAnyPackage("dev.weir.."))
                    .or(resideInAnyPackage("java..", "org.jspecify.annotations"))
                    .as("are in core, java.* or jspecify"))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule testkit_seesOfWeirOnlyCore = noClasses()
            .that()
            .resideInAPackage("dev.weir.testkit..")
            .and()
            .resideOutsideOfPackage("dev.weir.testkit.engine..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(OUTSIDE_CORE).and(not(resideInAnyPackage("dev.weir.testkit.."))))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule engineTestkit_seesNoStore = noClasses()
            .that()
            .resideInAPackage("dev.weir.testkit.engine..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.store..", "dev.weir.binding..", "dev.weir.spring..", "dev.weir.server..");

    /** Micrometer is optional: an engine that is not measured runs without it. */
    @ArchTest
    static final ArchRule engine_measuresInOnePackage = noClasses()
            .that()
            .resideInAPackage("dev.weir.engine..")
            .and()
            .resideOutsideOfPackage("dev.weir.engine.metric..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.micrometer..", "dev.weir.engine.metric..");

    /** A store sees core and the engine, and no store sees another. */
    @ArchTest
    static final ArchRule stores_seeOnlyWhatIsAboveThem = noClasses()
            .that()
            .resideInAPackage("dev.weir.store.jdbc..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "dev.weir.store..",
                            "dev.weir.binding..",
                            "dev.weir.spring..",
                            "dev.weir.server..",
                            "dev.weir.testkit..")
                    .and(not(resideInAnyPackage("dev.weir.store.jdbc.."))))
            .allowEmptyShould(true);

    /** What scripted stores share knows none of them, and no way to a backend. */
    @ArchTest
    static final ArchRule scriptedStores_shareWhatKnowsNoneOfThem = classes()
            .that()
            .resideInAPackage("dev.weir.store.scripted..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.weir",
                    "dev.weir.algorithm..",
                    "dev.weir.remote..",
                    "dev.weir.engine..",
                    "dev.weir.store.scripted..",
                    "java..",
                    "org.jspecify.annotations");

    @ArchTest
    static final ArchRule redisStore_seesNoOtherStore = noClasses()
            .that()
            .resideInAPackage("dev.weir.store.redis..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.store.durableobjects..", "dev.weir.store.jdbc..", "dev.weir.store.cluster..");

    /** It speaks HTTP by Java's own means. */
    @ArchTest
    static final ArchRule durableObjectsStore_seesNoOtherStoreAndNoLibrary = classes()
            .that()
            .resideInAPackage("dev.weir.store.durableobjects..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.weir",
                    "dev.weir.remote..",
                    "dev.weir.engine..",
                    "dev.weir.store.scripted..",
                    "dev.weir.store.durableobjects..",
                    "java..",
                    "javax.net.ssl",
                    "org.jspecify.annotations");

    /** A binding sees core and the engine; no binding sees another, nor a store. */
    @ArchTest
    static final ArchRule servletBinding_seesOnlyWhatIsAboveIt = noClasses()
            .that()
            .resideInAPackage("dev.weir.binding.servlet..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "dev.weir.store..",
                            "dev.weir.binding..",
                            "dev.weir.spring..",
                            "dev.weir.server..",
                            "dev.weir.testkit..")
                    .and(not(resideInAnyPackage("dev.weir.binding.servlet.."))));

    @ArchTest
    static final ArchRule grpcBinding_seesOnlyWhatIsAboveIt = noClasses()
            .that()
            .resideInAPackage("dev.weir.binding.grpc..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "dev.weir.store..",
                            "dev.weir.binding..",
                            "dev.weir.spring..",
                            "dev.weir.server..",
                            "dev.weir.testkit..")
                    .and(not(resideInAnyPackage("dev.weir.binding.grpc.."))));

    @ArchTest
    static final ArchRule webSocketBinding_seesOnlyWhatIsAboveIt = noClasses()
            .that()
            .resideInAPackage("dev.weir.binding.websocket..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "dev.weir.store..",
                            "dev.weir.binding..",
                            "dev.weir.spring..",
                            "dev.weir.server..",
                            "dev.weir.testkit..")
                    .and(not(resideInAnyPackage("dev.weir.binding.websocket.."))));

    /** The pipeline needs no framework: only an adapter knows one. */
    @ArchTest
    static final ArchRule webSocketPipeline_knowsNoFramework = noClasses()
            .that()
            .resideInAPackage("dev.weir.binding.websocket..")
            .and()
            .haveSimpleNameNotStartingWith("Vertx")
            .and()
            .haveSimpleNameNotStartingWith("Jakarta")
            .and()
            .haveNameNotMatching(".*\\.(HandshakeFilter|LimitedEndpoint)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..", "jakarta..");

    /** The starter puts the two bindings into Spring's hands; it knows no store. */
    @ArchTest
    static final ArchRule springStarter_seesOnlyWhatIsAboveIt = noClasses()
            .that()
            .resideInAPackage("dev.weir.spring..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.store..", "dev.weir.server..", "dev.weir.testkit..");

    /** Which JSON library there is depends on the generation of Spring Boot: neither is for the starter. */
    @ArchTest
    static final ArchRule springStarter_knowsNoJson = noClasses()
            .that()
            .resideInAPackage("dev.weir.spring..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml.jackson..", "tools.jackson..");

    /** A client is for who calls limited APIs: it needs the JDK, and nothing else of Weir. */
    @ArchTest
    static final ArchRule client_seesOnlyItselfAndJava = classes()
            .that()
            .resideInAPackage("dev.weir.client..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.weir.client..", "java..", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule nothing_seesTheServerButTheCommandLine = noClasses()
            .that()
            .resideOutsideOfPackages("dev.weir.server..", "dev.weir.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.weir.server..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothing_seesTheCommandLine = noClasses()
            .that()
            .resideOutsideOfPackage("dev.weir.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.weir.cli..")
            .allowEmptyShould(true);

    /** An example shows what anybody can do with the library: it has no more of Weir than they have. */
    @ArchTest
    static final ArchRule examples_embedTheLibrary = noClasses()
            .that()
            .resideInAPackage("dev.weir.example..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.testkit..", "dev.weir.server..", "dev.weir.cli..", "dev.weir.benchmarks..");

    @ArchTest
    static final ArchRule nothing_seesAnExample = noClasses()
            .that()
            .resideOutsideOfPackage("dev.weir.example..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.weir.example..");

    @ArchTest
    static final ArchRule packages_areAtMostTwoLevelsDeep = classes().should(beAtMostTwoLevelsBelow("dev.weir"));

    @ArchTest
    static final ArchRule packages_areNullMarked = classes().should(beInANullMarkedPackage());

    @ArchTest
    static final ArchRule standardStreams_belongToTheCommandLine = noClasses()
            .that()
            .resideOutsideOfPackages("dev.weir.cli..", "dev.weir.benchmarks..", "dev.weir.example..")
            .should(ACCESS_STANDARD_STREAMS)
            .allowEmptyShould(true);

    private static ArchCondition<JavaClass> beAtMostTwoLevelsBelow(String root) {
        return condition(
                "be at most two levels below " + root,
                c -> c.getPackageName()
                                .substring(root.length())
                                .chars()
                                .filter(ch -> ch == '.')
                                .count()
                        <= 2);
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return condition(
                "be in a package whose package-info says @NullMarked",
                c -> c.getPackage().isAnnotatedWith(NullMarked.class));
    }

    private static ArchCondition<JavaClass> condition(String description, Predicate<JavaClass> holds) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass c, ConditionEvents events) {
                if (!holds.test(c)) {
                    events.add(SimpleConditionEvent.violated(c, c.getName() + " should " + description));
                }
            }
        };
    }
}
