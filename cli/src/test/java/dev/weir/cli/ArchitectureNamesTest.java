package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The types and methods that docs/architecture.md names exist in the code. */
class ArchitectureNamesTest {
    private static final Pattern SPAN = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.([a-z]\\w*))?(?:\\([^`]*\\))?`");
    private static final Pattern BRANCH = Pattern.compile("^[\\s│]*[├└]─ ([A-Z]\\w*[a-z]\\w*)", Pattern.MULTILINE);
    /** Of Java, and a test. */
    private static final Set<String> FOREIGN = Set.of("BigInteger", "LayeringTest", "System");

    @Test
    void names_exist() throws IOException {
        Map<String, String> types = types();
        Set<String> missing = new TreeSet<>();
        String page = read(ROOT.resolve("docs/architecture.md"));
        Matcher span = SPAN.matcher(page);
        while (span.find()) {
            String code = types.get(span.group(1));
            boolean isKnown = FOREIGN.contains(span.group(1))
                    || (code != null && (span.group(2) == null || code.contains(" " + span.group(2) + "(")));
            if (!isKnown) {
                missing.add(span.group());
            }
        }
        Matcher branch = BRANCH.matcher(page);
        while (branch.find()) {
            if (!types.containsKey(branch.group(1))) {
                missing.add(branch.group(1));
            }
        }
        assertThat(missing).as("names in docs/architecture.md without code").isEmpty();
    }

    /** The source of each top-level type in main code, by its simple name. */
    private static Map<String, String> types() throws IOException {
        Map<String, String> types = new HashMap<>();
        for (Path file : sources()) {
            String name = file.getFileName().toString().replace(".java", "");
            types.merge(name, read(file), String::concat);
        }
        return types;
    }

    private static Set<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().contains("/src/main/java/")
                            && file.toString().endsWith(".java")
                            && !file.toString().contains("/target/"))
                    .collect(Collectors.toSet());
        }
    }
}
