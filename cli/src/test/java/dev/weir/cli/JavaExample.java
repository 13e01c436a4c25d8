package dev.weir.cli;

import dev.weir.fixture.JavaSnippet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A block of Java in a document: statements, with their imports.
 *
 * @param name which document's, and which of its blocks
 */
record JavaExample(String name, String code) {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    /** Where the documents have a Redis. */
    static final String REDIS = "redis://localhost:6379";

    private static final Pattern BLOCK = Pattern.compile("^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    /** All documents of the project. */
    static Stream<Path> documents() {
        try (Stream<Path> inRoot = Files.list(ROOT);
                Stream<Path> inDocs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> inExamples = Files.walk(ROOT.resolve("examples"), 2)) {
            return Stream.of(inRoot, inDocs, inExamples)
                    .flatMap(paths -> paths)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<JavaExample> in(Path document) {
        List<JavaExample> examples = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(read(document));
        while (blocks.find()) {
            examples.add(new JavaExample(ROOT.relativize(document) + " #" + (examples.size() + 1), blocks.group(1)));
        }
        return examples;
    }

    static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it names a Redis itself. */
    boolean needsRedis() {
        return code.contains(REDIS);
    }

    /** Compiles it and runs it, with its assertions. */
    void run(Path directory) throws Exception {
        JavaSnippet.run(code, directory);
    }
}
