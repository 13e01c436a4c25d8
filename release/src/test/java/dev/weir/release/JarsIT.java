package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks of the built jars. */
class JarsIT {
    static Stream<Modules.Module> libraries() {
        return SourceTree.modules().libraries().stream();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void jar_namesItsModule_afterItsPackages(Modules.Module module) throws IOException {
        try (JarFile jar = new JarFile(module.jar().toFile())) {
            String name = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");

            assertThat(name).isEqualTo(module.pom().text("properties", "weir.module"));
            String root = name.equals("dev.weir.core") ? "dev.weir" : name; // its package is the parent of all others
            assertThat(packages(jar))
                    .contains(root)
                    .allSatisfy(each -> assertThat(each).startsWith(parent(root)));
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void jar_carriesItsLicence(Modules.Module module) throws IOException {
        try (JarFile jar = new JarFile(module.jar().toFile())) {
            assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
            assertThat(jar.getEntry("META-INF/NOTICE")).isNotNull();
        }
    }

    @Test
    void jars_shareNoPackage_andNoModuleName() throws IOException {
        Map<String, String> owners = new HashMap<>();
        for (Modules.Module module : SourceTree.modules().libraries()) {
            try (JarFile jar = new JarFile(module.jar().toFile())) {
                for (String each : packages(jar)) {
                    assertThat(owners.put(each, module.toString())).as(each).isNull();
                }
                String name = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
                assertThat(owners.put("module " + name, module.toString()))
                        .as(name)
                        .isNull();
            }
        }
    }

    /** The cluster store's consensus package is beside the store's, not below it. */
    private static String parent(String root) {
        return root.equals("dev.weir.store.cluster") ? "dev.weir.store" : root;
    }

    private static Set<String> packages(JarFile jar) {
        return jar.stream()
                .map(entry -> entry.getName())
                .filter(name -> name.endsWith(".class"))
                .map(name -> name.substring(0, name.lastIndexOf('/')).replace('/', '.'))
                .collect(Collectors.toSet());
    }
}
