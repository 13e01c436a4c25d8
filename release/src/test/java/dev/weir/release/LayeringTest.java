package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Layers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("release", Main.class);
    }

    /** Each module that has classes checks its own layers, so that they are checked when it is built alone. */
    @Test
    void everyModule_hasRows_andATestOfThem() throws IOException {
        List<String> unchecked = new ArrayList<>();
        for (Modules.Module module : SourceTree.modules().all()) {
            String name = SourceTree.ROOT.relativize(module.directory()).toString();
            if (Files.isDirectory(module.directory().resolve("src/main/java"))
                    && !(Layers.modules().contains(name)
                            && checks(module.directory().resolve("src/test/java"), name))) {
                unchecked.add(name);
            }
        }
        assertThat(unchecked).isEmpty();
    }

    private static boolean checks(Path tests, String module) throws IOException {
        try (Stream<Path> files = Files.walk(tests)) {
            for (Path file : files.filter(each -> each.toString().matches(".*/Lay(ering|ers)Test.java"))
                    .toList()) {
                if (Files.readString(file).contains("Layers.check(\"" + module + "\", ")) {
                    return true;
                }
            }
            return false;
        }
    }
}
