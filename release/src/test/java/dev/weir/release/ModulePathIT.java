package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine on the module path, where packages that a library does not export are closed. */
class ModulePathIT {
    @Test
    void engine_onTheModulePath_readsAPreset() throws Exception {
        String source =
                Path.of(getClass().getResource("OnModulePath.java").toURI()).toString();

        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        modulePath(),
                        "--add-modules",
                        "ALL-MODULE-PATH",
                        source)
                .redirectErrorStream(true)
                .start();

        assertThat(new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines("dev.weir.engineAccepted");
        assertThat(java.waitFor()).isZero();
    }

    /** The jars of core, SPI and engine, and of the libraries that the engine needs. */
    private static String modulePath() {
        List<String> libraries = List.of("jackson-core", "snakeyaml-engine");
        Stream<String> ours = SourceTree.modules().libraries().stream()
                .filter(module ->
                        List.of("weir-core", "weir-engine", "weir-spi").contains(module.toString()))
                .map(module -> module.jar().toString());
        Stream<String> others = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> libraries.stream().anyMatch(entry::contains));
        return Stream.concat(ours, others).collect(Collectors.joining(File.pathSeparator));
    }
}
