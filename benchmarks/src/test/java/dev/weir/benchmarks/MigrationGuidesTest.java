package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.JavaSnippet;
import dev.weir.fixture.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The other libraries' sides of the migration guides compile and run; they are on the class path of this module. The
 * tests of the command line run Weir's sides.
 */
@Tag("io")
final class MigrationGuidesTest {
    private static final Path GUIDES = Path.of("../docs/migrating");
    private static final String REDIS = "redis://localhost:6379";

    @TempDir
    Path directory;

    @TestFactory
    Stream<DynamicTest> examplesOfOtherLibraries_run() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (Stream<Path> guides = Files.list(GUIDES)) {
            for (Path guide : guides.sorted().toList()) {
                for (String example : JavaSnippet.blocks(guide, "java peer")) {
                    String name = guide.getFileName() + " #" + (tests.size() + 1);
                    tests.add(DynamicTest.dynamicTest(name, () -> run(example)));
                }
            }
        }
        assertThat(tests).hasSizeGreaterThanOrEqualTo(5);
        return tests.stream();
    }

    private void run(String example) throws Exception {
        if (!example.contains(REDIS)) {
            JavaSnippet.run(example, directory);
            return;
        }
        try (RedisProcess redis = RedisProcess.start()) {
            JavaSnippet.run(example.replace(REDIS, redis.uri()), directory);
        }
    }
}
