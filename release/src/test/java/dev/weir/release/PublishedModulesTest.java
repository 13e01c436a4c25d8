package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class PublishedModulesTest {
    private final Modules modules = SourceTree.modules();
    private final List<String> libraries =
            modules.libraries().stream().map(Object::toString).toList();

    @Test
    void bom_listsEveryPublishedLibrary_andNothingElse() throws IOException {
        Pom bom = Pom.read(SourceTree.ROOT.resolve("bom/pom.xml"));

        assertThat(bom.texts("dependencyManagement", "dependencies", "dependency", "artifactId"))
                .containsExactlyInAnyOrderElementsOf(libraries);
    }

    @Test
    void bom_asPublished_bringsNoVersionOfAnotherLibrary() throws IOException {
        Pom published = Pom.read(SourceTree.ROOT.resolve("bom/target/.flattened-pom.xml"));

        assertThat(published.text("parent", "artifactId")).isNull();
        assertThat(published.texts("dependencyManagement", "dependencies", "dependency", "groupId"))
                .containsOnly("dev.weir")
                .hasSameSizeAs(libraries);
    }

    @Test
    void library_ofWeir_dependsOnPublishedOnesOnly() {
        for (Modules.Module module : modules.libraries()) {
            assertThat(needed(module)).as(module.toString()).isSubsetOf(libraries);
        }
    }

    @Test
    void release_checksEveryLibrary() throws IOException {
        Pom own = Pom.read(Path.of("pom.xml"));

        assertThat(own.texts("dependencies", "dependency", "artifactId")).containsAll(libraries);
    }

    private static List<String> needed(Modules.Module module) {
        return module.pom().dependencies().stream()
                .filter(dependency -> dependency.artifactId().startsWith("weir-"))
                .filter(dependency -> Stream.of("compile", "runtime").anyMatch(dependency.scope()::equals))
                .map(Pom.Dependency::artifactId)
                .toList();
    }
}
