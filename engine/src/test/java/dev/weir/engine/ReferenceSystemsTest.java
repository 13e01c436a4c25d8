package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about the reference systems agrees with the tests. */
class ReferenceSystemsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Map<Character, Integer> COUNTS = Map.of('A', 18, 'B', 14, 'C', 11, 'D', 10, 'E', 15);
    private static final Pattern ROW = Pattern.compile("^\\| ([A-E]\\d+) \\|.*\\| ([^|]*) \\|$", Pattern.MULTILINE);
    private static final Pattern TEST_NAME = Pattern.compile("`(\\w+Test)`");
    private static final String ACCEPTANCES = "engine-testkit/src/main/java/dev/weir/testkit/engine";
    private static final Pattern ACCEPTANCE = Pattern.compile(" extends (\\w+Acceptance) ");
    private static final Pattern METHOD = Pattern.compile("void ([A-E]\\d+)_");

    private final Map<String, String> rows = rows();
    private final Map<String, Path> tests = tests();

    @Test
    void everyRequirement_hasOneRow() {
        Set<String> expected = new TreeSet<>();
        COUNTS.forEach((system, count) -> {
            for (int i = 1; i <= count; i++) {
                expected.add(system.toString() + i);
            }
        });
        assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void everyRow_namesTestsThatExistOrSaysWhatIsOpen() {
        rows.forEach((id, shownBy) -> {
            List<String> named = named(shownBy);
            assertThat(tests.keySet()).as(id).containsAll(named);
            assertThat(!named.isEmpty() || shownBy.startsWith("open, "))
                    .as("%s: %s", id, shownBy)
                    .isTrue();
        });
    }

    @Test
    void everyAcceptanceTestThatARowNames_hasATestOfThatId() {
        rows.forEach((id, shownBy) -> named(shownBy).stream()
                .filter(name -> name.endsWith("AcceptanceTest"))
                .forEach(name -> assertThat(idsIn(tests.get(name)))
                        .as(id + " in " + name)
                        .contains(id)));
    }

    @Test
    void everyTestThatCarriesAnId_isNamedInItsRow() {
        tests.forEach((name, file) -> idsIn(file).forEach(id -> {
            assertThat(rows).as(name).containsKey(id);
            assertThat(named(rows.get(id))).as("the row of " + id).contains(name);
        }));
    }

    private static List<String> named(String shownBy) {
        return TEST_NAME.matcher(shownBy).results().map(match -> match.group(1)).toList();
    }

    /** The requirement ids of a test's own methods and of the acceptance that it extends. */
    private static Set<String> idsIn(Path file) {
        String text = read(file);
        Set<String> ids =
                METHOD.matcher(text).results().map(match -> match.group(1)).collect(Collectors.toSet());
        Matcher acceptance = ACCEPTANCE.matcher(text);
        if (acceptance.find()) {
            ids.addAll(idsIn(ROOT.resolve(ACCEPTANCES).resolve(acceptance.group(1) + ".java")));
        }
        return ids;
    }

    private static Map<String, String> rows() {
        Map<String, String> rows = new LinkedHashMap<>();
        Matcher row = ROW.matcher(read(ROOT.resolve("docs/reference-systems.md")));
        while (row.find()) {
            assertThat(rows.put(row.group(1), row.group(2)))
                    .as("twice " + row.group(1))
                    .isNull();
        }
        return rows;
    }

    private static Map<String, Path> tests() {
        try (Stream<Path> all = Files.walk(ROOT)) {
            return all.filter(path -> path.toString().contains("/src/test/java/"))
                    .filter(path -> path.toString().endsWith("Test.java"))
                    .collect(Collectors.toMap(
                            path -> path.getFileName().toString().replace(".java", ""), path -> path, (a, b) -> a));
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
