package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.config.ConfigurationReader;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** In the documents every Java example compiles and runs, every configuration is good, and every link leads somewhere. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern JAVA_BLOCK =
            Pattern.compile("^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CONFIGURATION_BLOCK =
            Pattern.compile("^```yaml\\n(version:.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|#)([^)#]+)(#[^)]*)?\\)");

    @TempDir
    Path directory;

    @TestFactory
    Stream<DynamicTest> examples_run() {
        return documents().flatMap(document -> examples(document).stream());
    }

    @Test
    void examples_areFound() {
        assertThat(documents().mapToInt(document -> examples(document).size()).sum())
                .isGreaterThanOrEqualTo(3);
    }

    @TestFactory
    Stream<DynamicTest> configurations_areGood() {
        return documents().flatMap(document -> configurations(document).stream());
    }

    @Test
    void configurations_areFound() {
        assertThat(configurations(ROOT.resolve("docs/configuration.md"))).hasSizeGreaterThanOrEqualTo(10);
    }

    @TestFactory
    Stream<DynamicTest> links_leadSomewhere() {
        return documents()
                .map(document ->
                        DynamicTest.dynamicTest(ROOT.relativize(document).toString(), () -> {
                            Matcher links = LINK.matcher(read(document));
                            while (links.find()) {
                                Path target = document.resolveSibling(links.group(1));
                                assertThat(target).as("link in " + document).exists();
                            }
                        }));
    }

    private List<DynamicTest> examples(Path document) {
        List<DynamicTest> tests = new ArrayList<>();
        Matcher blocks = JAVA_BLOCK.matcher(read(document));
        while (blocks.find()) {
            String code = blocks.group(1);
            String name = ROOT.relativize(document) + " #" + (tests.size() + 1);
            tests.add(DynamicTest.dynamicTest(name, () -> compileAndRun(code)));
        }
        return tests;
    }

    private List<DynamicTest> configurations(Path document) {
        List<DynamicTest> tests = new ArrayList<>();
        Matcher blocks = CONFIGURATION_BLOCK.matcher(read(document));
        while (blocks.find()) {
            String yaml = blocks.group(1);
            String name = ROOT.relativize(document) + " #" + (tests.size() + 1);
            tests.add(DynamicTest.dynamicTest(
                    name,
                    () -> new ConfigurationReader(variable -> null)
                            .read(name, yaml)
                            .orThrow()));
        }
        return tests;
    }

    private void compileAndRun(String code) throws Exception {
        StringBuilder imports = new StringBuilder();
        StringBuilder body = new StringBuilder();
        code.lines()
                .forEach(line -> (line.startsWith("import ") ? imports : body)
                        .append(line)
                        .append('\n'));
        Path home = Files.createTempDirectory(directory, "example");
        Path source = home.resolve("Example.java");
        Files.writeString(
                source,
                imports + "public class Example { public static void run() throws Exception {\n" + body + "}}\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-d", home.toString(), "-cp", System.getProperty("java.class.path"));
            boolean compiled = compiler.getTask(
                            complaints, files, null, options, null, files.getJavaFileObjects(source.toFile()))
                    .call();
            assertThat(compiled).as(complaints + "\n" + code).isTrue();
        }
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {home.toUri().toURL()}, getClass().getClassLoader())) {
            loader.setDefaultAssertionStatus(true);
            loader.loadClass("Example").getMethod("run").invoke(null);
        }
    }

    private static Stream<Path> documents() {
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

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
