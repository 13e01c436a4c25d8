package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Identifiers and file names use none of the words that were removed from the code. */
class IdentifierWordsTest {
    private static final Path LIST = ROOT.resolve("docs/removed-words.txt");
    private static final Set<String> SKIPPED = Set.of("target", "node_modules", ".git");
    private static final Pattern SOURCE = Pattern.compile(".*\\.(java|lua|js|mjs)");
    private static final String LITERALS =
            "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`[^`]*`";
    private static final Pattern NO_CODE = Pattern.compile("/\\*.*?\\*/|//[^\\n]*|" + LITERALS, Pattern.DOTALL);
    private static final Pattern NO_LUA_CODE = Pattern.compile("--[^\\n]*|" + LITERALS, Pattern.DOTALL);
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern WORD_BOUNDARY =
            Pattern.compile("_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-.]");

    /** A word, or several in a row, that no identifier contains except within the given compounds. */
    private record Removed(String words, String replacement, List<String> exceptions) {
        private static Removed parse(String line) {
            String[] parts = line.split(": ", 2);
            String[] rest = parts[1].split("; except ", 2);
            return new Removed(parts[0], rest[0], rest.length == 1 ? List.of() : List.of(rest[1].split(", ")));
        }

        private boolean isIn(String identifier) {
            String spaced = " " + wordsOf(identifier) + " ";
            for (String exception : exceptions) {
                spaced = spaced.replace(" " + exception + " ", " ");
            }
            return spaced.contains(" " + words + " ");
        }
    }

    @Test
    void identifiers_useNoRemovedWord() throws IOException {
        List<Removed> removed = removed();
        Set<String> faults = new TreeSet<>();
        for (Path file : sources()) {
            for (String identifier : identifiers(file)) {
                for (Removed each : removed) {
                    if (each.isIn(identifier)) {
                        faults.add(ROOT.relativize(file) + ": " + identifier + " (write: " + each.replacement + ")");
                    }
                }
            }
        }
        assertThat(faults).as("identifiers with words of " + LIST).isEmpty();
    }

    @Test
    void removedWord_inACompound_isFound() {
        assertThat(Removed.parse("look again: refresh").isIn("lookAgainSoon")).isTrue();
        assertThat(Removed.parse("passer: completion thread").isIn("PASSER_BY")).isTrue();
        assertThat(Removed.parse("trip: batch call; except round trip").isIn("roundTrip"))
                .isFalse();
        assertThat(Removed.parse("trip: batch call; except round trip").isIn("stripe"))
                .isFalse();
    }

    private static List<Removed> removed() {
        List<Removed> all = read(LIST)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Removed::parse)
                .toList();
        assertThat(all).isNotEmpty();
        return all;
    }

    private static Set<String> identifiers(Path file) {
        Set<String> found = new TreeSet<>();
        found.add(file.getFileName().toString());
        Pattern noCode = file.toString().endsWith(".lua") ? NO_LUA_CODE : NO_CODE;
        Matcher identifiers = IDENTIFIER.matcher(noCode.matcher(read(file)).replaceAll(" "));
        while (identifiers.find()) {
            found.add(identifiers.group());
        }
        return found;
    }

    private static String wordsOf(String identifier) {
        return Arrays.stream(WORD_BOUNDARY.split(identifier))
                .map(word -> word.toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" "));
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return SKIPPED.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (SOURCE.matcher(file.getFileName().toString()).matches()) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(found).hasSizeGreaterThan(500);
        return found;
    }
}
