package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The messages that docs/troubleshooting.md quotes exist: one source file of main code has all parts of each. */
class TroubleshootingTest {
    private static final Pattern MESSAGE = Pattern.compile("^### `(.+)`$", Pattern.MULTILINE);
    private static final String ANY = "…";
    /** A part of a message that is shorter than this could be found anywhere. */
    private static final int SHORTEST_MESSAGE = 12;
    /** {@code "a" + "b"}, also across lines. */
    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

    @TestFactory
    Stream<DynamicTest> messages_exist() throws IOException {
        List<String> sources = sources();
        Matcher messages = MESSAGE.matcher(read(ROOT.resolve("docs/troubleshooting.md")));
        List<DynamicTest> tests = new ArrayList<>();
        while (messages.find()) {
            String message = messages.group(1);
            tests.add(DynamicTest.dynamicTest(message, () -> {
                List<String> parts = parts(message);
                assertThat(String.join("", parts)).hasSizeGreaterThanOrEqualTo(SHORTEST_MESSAGE);
                assertThat(sources)
                        .as("no source file has all of " + parts)
                        .anyMatch(source -> parts.stream().allMatch(source::contains));
            }));
        }
        assertThat(tests).hasSizeGreaterThan(30);
        return tests.stream();
    }

    private static List<String> parts(String message) {
        return Stream.of(message.split(ANY, -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    /** The text of every source file in main code, with concatenated literals joined. */
    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().contains("/src/main/java/")
                            && file.toString().endsWith(".java")
                            && !file.toString().contains("/target/"))
                    .map(file -> CONCATENATION.matcher(read(file)).replaceAll(""))
                    .toList();
        }
    }
}
