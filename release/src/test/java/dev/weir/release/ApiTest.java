package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the API of each library with the recorded one. {@code -Dweir.api.record=true} records it again. */
@Tag("io")
class ApiTest {
    private static final Path RECORDS = Path.of("api");

    static Stream<Modules.Module> libraries() {
        return SourceTree.modules().libraries().stream();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void api_ofLibrary_breaksNothingThatIsRecorded(Modules.Module module) throws IOException {
        Set<String> present = Api.of(module.classes());
        Path record = RECORDS.resolve(module + ".txt");
        if (Boolean.getBoolean("weir.api.record")) {
            Files.createDirectories(RECORDS);
            Files.write(record, present);
        }

        assertThat(Api.breaks(new TreeSet<>(Files.readAllLines(record)), present))
                .as("breaking changes of %s; docs/api-stability.md says how one is recorded", module)
                .isEmpty();
    }

    @Test
    void method_removed_breaks() {
        Set<String> before = Set.of("a.B: open interface : ", "a.B: public abstract int c()");

        assertThat(Api.breaks(before, Set.of("a.B: open interface : ")))
                .containsExactly("gone: a.B: public abstract int c()");
    }

    @Test
    void abstractMethod_added_breaksTypesThatCallersImplement() {
        String method = "a.B: public abstract int c()";

        assertThat(Api.breaks(Set.of("a.B: open interface : "), Set.of("a.B: open interface : ", method)))
                .containsExactly("implementors lack: " + method);
        assertThat(Api.breaks(Set.of("a.B: interface : "), Set.of("a.B: interface : ", method)))
                .isEmpty();
    }

    @Test
    void listing_hasPublicTypes_withoutInternalPackages() throws IOException {
        Set<String> core = Api.of(SourceTree.ROOT.resolve("core/target/classes"));

        assertThat(core)
                .anyMatch(line -> line.startsWith("dev.weir.RateLimiter: ") && line.contains(" consume("))
                .noneMatch(line -> line.startsWith("dev.weir.algorithm."))
                .noneMatch(line -> line.startsWith("dev.weir.memory.Shard"));
    }
}
