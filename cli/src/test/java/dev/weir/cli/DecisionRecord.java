package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A decision record in {@code docs/adr}: the fields of its header.
 *
 * @param file its file name
 * @param status as written, with links
 * @param successors the records that its status names, by number, with the file of each link
 * @param predecessors the records that it supersedes, wholly or partly
 * @param sections the headings below the title, in order
 */
record DecisionRecord(
        int number,
        String file,
        String title,
        String status,
        Map<Integer, String> successors,
        Map<Integer, String> predecessors,
        List<String> sections) {
    private static final Path DIRECTORY = ROOT.resolve("docs/adr");

    private static final String LINK = "(?:part of )?\\[\\d+]\\([^)]+\\)";
    private static final String LINKS = LINK + "(?:(?:, | and )" + LINK + ")*";
    private static final Pattern HEADER = Pattern.compile("\\A# (?<number>\\d+)\\. (?<title>[^\\n]+)\\n\\n"
            + "- Status: (?<status>accepted|(?:partly )?superseded by " + LINKS + ")\\n"
            + "- Date: \\d{4}-\\d{2}-\\d{2}\\n"
            + "(?:- Supersedes: (?<supersedes>" + LINKS + ")\\n)?"
            + "\\n## ");
    private static final Pattern TARGET = Pattern.compile("\\[(\\d+)]\\(([^)]+)\\)");
    private static final Pattern SECTION = Pattern.compile("^## (.+)$", Pattern.MULTILINE);
    private static final Pattern ROW =
            Pattern.compile("^\\| (\\d+) \\| \\[(.+?)]\\(([^)]+)\\) \\| ([^|]+) \\| [^|]+ \\|$", Pattern.MULTILINE);

    /** The files of all records, without the template and the index. */
    static Stream<Path> files() {
        try (Stream<Path> all = Files.list(DIRECTORY)) {
            return all
                    .filter(path -> path.getFileName().toString().matches("\\d{4}-.*\\.md"))
                    .filter(path -> !path.endsWith("0000-template.md"))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a record; fails where its header has another format than the template. */
    static DecisionRecord of(Path path) {
        String text = read(path);
        Matcher header = HEADER.matcher(text);
        if (!header.find()) {
            throw new AssertionError(path.getFileName()
                    + " does not begin with a header as in 0000-template.md:\n"
                    + text.lines().limit(6).reduce("", (above, line) -> above + line + "\n"));
        }
        return new DecisionRecord(
                Integer.parseInt(header.group("number")),
                path.getFileName().toString(),
                header.group("title"),
                header.group("status"),
                targets(header.group("status")),
                targets(header.group("supersedes")),
                SECTION.matcher(text).results().map(match -> match.group(1)).toList());
    }

    /** A record's row in the index. */
    record Row(int number, String title, String file, String status) {}

    static List<Row> index() {
        Matcher rows = ROW.matcher(read(DIRECTORY.resolve("README.md")));
        return rows.results().map(DecisionRecord::parsed).toList();
    }

    Row row() {
        return new Row(number, title, file, status);
    }

    private static Row parsed(MatchResult match) {
        return new Row(Integer.parseInt(match.group(1)), match.group(2), match.group(3), match.group(4));
    }

    private static Map<Integer, String> targets(String links) {
        Map<Integer, String> targets = new TreeMap<>();
        if (links != null) {
            TARGET.matcher(links)
                    .results()
                    .forEach(match -> targets.put(Integer.valueOf(match.group(1)), match.group(2)));
        }
        return targets;
    }
}
