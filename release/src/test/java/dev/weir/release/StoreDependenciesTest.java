package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The dependencies that a store brings to an application with {@code RateLimiter.on(store, …)} and no engine. */
class StoreDependenciesTest {
    private static final Pattern BROUGHT =
            Pattern.compile("^ +([\\w.-]+:[\\w.-]+):\\S+:(?:compile|runtime)(?! *\\(optional)", Pattern.MULTILINE);

    static Stream<Modules.Module> stores() {
        return SourceTree.modules().libraries().stream()
                .filter(module -> module.toString().startsWith("weir-store-"));
    }

    @ParameterizedTest
    @MethodSource("stores")
    void store_bringsItsInterfaces_andNeitherEngineNorParsers(Modules.Module store) throws IOException {
        assertThat(broughtBy(store))
                .contains("dev.weir:weir-core", "dev.weir:weir-spi")
                .doesNotContain("dev.weir:weir-engine")
                .noneMatch(name -> name.contains("jackson") || name.contains("yaml"));
    }

    /** Users of PostgreSQL do not need SQLite's native library. */
    @Test
    void sqlStore_bringsNoDriver() throws IOException {
        assertThat(broughtBy(library("weir-store-jdbc")))
                .contains("com.zaxxer:HikariCP")
                .doesNotContain("org.postgresql:postgresql", "org.xerial:sqlite-jdbc");
    }

    /** Otherwise the test above might check lists without such lines. */
    @Test
    void engine_bringsTheParsers() throws IOException {
        assertThat(broughtBy(library("weir-engine")))
                .contains("com.fasterxml.jackson.core:jackson-core", "org.snakeyaml:snakeyaml-engine")
                .doesNotContain("io.micrometer:micrometer-core");
    }

    private static Modules.Module library(String artifact) {
        return SourceTree.modules().libraries().stream()
                .filter(module -> module.toString().equals(artifact))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> broughtBy(Modules.Module module) throws IOException {
        return BROUGHT.matcher(Files.readString(module.directory().resolve("target/dependencies.txt")))
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
