package dev.weir.binding.websocket;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("bindings/websocket", MessagePipeline.class);
    }

    /** The pipeline depends on no framework; only adapters do. */
    @Test
    void pipeline_knowsNoFramework() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("Vertx")
                .and()
                .haveSimpleNameNotStartingWith("Jakarta")
                .and()
                .haveNameNotMatching(".*\\.(HandshakeFilter|LimitedEndpoint)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "jakarta..")
                .check(Layers.classesOf(MessagePipeline.class));
    }
}
