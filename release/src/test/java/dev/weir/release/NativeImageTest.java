package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** The configuration for native images: resources that are loaded by name. Nothing uses reflection. */
@Tag("io")
class NativeImageTest {
    private static final Pattern INCLUDE = Pattern.compile("\"pattern\": \"(.*)\"");
    /** Calls whose targets native-image may not see. It finds handles of constant fields, and services, by itself. */
    private static final Map<String, Set<String>> REFLECTION = Map.of(
            "java/lang/Class",
            Set.of(
                    "forName",
                    "getDeclaredMethod",
                    "getMethod",
                    "getDeclaredField",
                    "getField",
                    "getDeclaredConstructor"),
            "java/lang/reflect/Proxy",
            Set.of("newProxyInstance"),
            "java/io/ObjectInputStream",
            Set.of("readObject"));

    static Stream<Modules.Module> libraries() {
        return SourceTree.modules().libraries().stream();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void resource_ofLibrary_isInItsMetadata(Modules.Module module) throws IOException {
        List<Pattern> included = included(module);

        assertThat(resources(module.classes()))
                .allMatch(name ->
                        included.stream().anyMatch(each -> each.matcher(name).matches()));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void metadata_ofLibrary_namesOnlyWhatThereIs(Modules.Module module) throws IOException {
        List<String> resources = resources(module.classes());

        assertThat(included(module)).allMatch(each -> resources.stream().anyMatch(each.asMatchPredicate()));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void reflection_ofLibrary_isInItsMetadata(Modules.Module module) throws IOException {
        Path metadata = metadata(module, "reflect-config.json");
        String known = Files.exists(metadata) ? Files.readString(metadata) : "";

        assertThat(Classes.in(module.classes()).stream().filter(NativeImageTest::reflects))
                .extracting(node -> node.name.replace('/', '.'))
                .allMatch(name -> known.contains("\"typeReachable\": \"" + name + "\""));
    }

    /** Everything in the jar except classes, files for other tools, and texts for people. */
    private static List<String> resources(Path classes) throws IOException {
        try (Stream<Path> tree = Files.walk(classes)) {
            return tree.filter(Files::isRegularFile)
                    .map(file -> classes.relativize(file).toString())
                    .filter(name -> !name.endsWith(".class") && !name.endsWith(".md"))
                    .filter(name -> !name.startsWith("META-INF/"))
                    .toList();
        }
    }

    private static List<Pattern> included(Modules.Module module) throws IOException {
        Path metadata = metadata(module, "resource-config.json");
        if (!Files.exists(metadata)) {
            return List.of();
        }
        return INCLUDE.matcher(Files.readString(metadata))
                .results()
                .map(match -> Pattern.compile(match.group(1).replace("\\\\", "\\")))
                .toList();
    }

    private static Path metadata(Modules.Module module, String file) {
        return module.classes().resolve("META-INF/native-image/dev.weir/" + module + "/" + file);
    }

    private static boolean reflects(ClassNode node) {
        return node.methods.stream()
                .flatMap(method -> CallsUnderMonitor.of(method).all().stream())
                .anyMatch(NativeImageTest::isReflection);
    }

    private static boolean isReflection(MethodInsnNode call) {
        return REFLECTION.getOrDefault(call.owner, Set.of()).contains(call.name);
    }
}
