package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.documents;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.config.ConfigurationReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java examples of the documents compile and run, their configurations are valid, their links and anchors have
 * targets, and decision records have one format.
 */
@Tag("slow")
class DocumentationTest {
    private static final Pattern CONFIGURATION_BLOCK =
            Pattern.compile("^```yaml\\n(version:.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    /** As Maven, Gradle and prose name it: the artifact and, if it is there, the version. */
    private static final Pattern ARTIFACT = Pattern.compile(
            "(?:dev\\.weir:|<groupId>dev\\.weir</groupId>\\s*<artifactId>)(weir-[a-z-]+)(?:</artifactId>\\s*<version>|:)?"
                    + "((?<=[>:])[0-9][\\w.-]*)?");

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern MODULE_NAME = Pattern.compile(
            "(?:</parent>|</modelVersion>\\s*<groupId>dev\\.weir</groupId>)\\s*<artifactId>([^<]+)</artifactId>");
    private static final Pattern VERSION =
            Pattern.compile("<artifactId>weir-parent</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|#)([^)#]+)(#[^)]*)?\\)");
    private static final Pattern ANCHOR = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)#([^)]+)\\)");
    private static final Pattern CODE_BLOCK = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$", Pattern.MULTILINE);
    private static final List<String> SECTIONS =
            List.of("Context", "Decision", "Alternatives", "Measured", "Consequences");

    @TempDir
    Path directory;

    @TestFactory
    Stream<DynamicTest> examples_run() {
        return documents()
                .flatMap(document -> JavaExample.in(document).stream())
                .filter(example -> !example.needsRedis())
                .map(example -> DynamicTest.dynamicTest(example.name(), () -> example.run(directory)));
    }

    @Test
    void examples_areFound() {
        assertThat(documents()
                        .mapToInt(document -> JavaExample.in(document).size())
                        .sum())
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

    @TestFactory
    Stream<DynamicTest> anchors_areHeadings() {
        return documents()
                .map(document ->
                        DynamicTest.dynamicTest(ROOT.relativize(document).toString(), () -> {
                            Matcher anchors = ANCHOR.matcher(withoutCode(document));
                            while (anchors.find()) {
                                Path target = anchors.group(1).isEmpty()
                                        ? document
                                        : document.resolveSibling(anchors.group(1));
                                if (target.toString().endsWith(".md")) {
                                    assertThat(headings(target))
                                            .as("anchors of " + target)
                                            .contains(anchors.group(2));
                                }
                            }
                        }));
    }

    /** The anchors that GitHub makes of a document's headings. */
    static Set<String> headings(Path document) {
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(withoutCode(document));
        while (heading.find()) {
            String anchor = heading.group(1)
                    .strip()
                    .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            String unique = anchor;
            for (int i = 1; !anchors.add(unique); i++) {
                unique = anchor + "-" + i;
            }
        }
        return anchors;
    }

    private static String withoutCode(Path document) {
        return CODE_BLOCK.matcher(read(document)).replaceAll("");
    }

    @TestFactory
    Stream<DynamicTest> decisionRecords_haveOneFormat() {
        return DecisionRecord.files()
                .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
                    DecisionRecord decision = DecisionRecord.of(file);
                    assertThat(decision.file()).startsWith("%04d-".formatted(decision.number()));
                    assertThat(decision.sections()).contains("Context", "Decision", "Consequences");
                    List<String> sections = new ArrayList<>(SECTIONS);
                    sections.retainAll(decision.sections());
                    assertThat(decision.sections()).isEqualTo(sections);
                }));
    }

    @Test
    void decisionRecords_areInTheIndexWithTheirTitleAndStatus() {
        assertThat(DecisionRecord.index())
                .containsExactlyInAnyOrderElementsOf(DecisionRecord.files()
                        .map(file -> DecisionRecord.of(file).row())
                        .toList());
    }

    @Test
    void decisionRecords_thatAreSuperseded_areNamedByTheirSuccessors() {
        Map<Integer, DecisionRecord> records = new HashMap<>();
        DecisionRecord.files().map(DecisionRecord::of).forEach(decision -> {
            assertThat(records.put(decision.number(), decision))
                    .as("another record with number " + decision.number())
                    .isNull();
        });
        for (DecisionRecord decision : records.values()) {
            decision.successors().forEach((number, file) -> {
                assertThat(records).as("successor of " + decision.file()).containsKey(number);
                assertThat(file)
                        .as("link in " + decision.file())
                        .isEqualTo(records.get(number).file());
                assertThat(records.get(number).predecessors())
                        .as("what " + file + " supersedes")
                        .containsEntry(decision.number(), decision.file());
            });
            decision.predecessors().forEach((number, file) -> {
                assertThat(records).as("superseded by " + decision.file()).containsKey(number);
                assertThat(file)
                        .as("link in " + decision.file())
                        .isEqualTo(records.get(number).file());
                assertThat(records.get(number).successors())
                        .as("successors in the status of " + file)
                        .containsEntry(decision.number(), decision.file());
            });
        }
    }

    @TestFactory
    Stream<DynamicTest> artifacts_exist() {
        Map<String, String> modules = modules();
        return documents()
                .map(document ->
                        DynamicTest.dynamicTest(ROOT.relativize(document).toString(), () -> {
                            Matcher artifacts = ARTIFACT.matcher(read(document));
                            while (artifacts.find()) {
                                assertThat(modules).as(artifacts.group()).containsKey(artifacts.group(1));
                                if (artifacts.group(2) != null) {
                                    assertThat(artifacts.group(2))
                                            .as(artifacts.group())
                                            .isEqualTo(modules.get(artifacts.group(1)));
                                }
                            }
                        }));
    }

    @Test
    void versionOfGrpc_isTheOneThatIsTested() {
        Pattern shown = Pattern.compile("<artifactId>grpc-bom</artifactId>\\s*<version>([^<]+)</version>");
        Pattern tested = Pattern.compile("<version.grpc>([^<]+)</version.grpc>");
        assertThat(first(shown, read(ROOT.resolve("docs/grpc.md"))))
                .isEqualTo(first(tested, read(ROOT.resolve("pom.xml"))));
    }

    /** Whoever copies the first screen gets something that can be resolved. */
    @Test
    void artifacts_areShownWhereUsersBegin() {
        for (String document : List.of("README.md", "docs/engine.md", "docs/redis.md", "docs/spring-boot.md")) {
            assertThat(read(ROOT.resolve(document)))
                    .as(document)
                    .containsPattern("<groupId>dev\\.weir</groupId>")
                    .contains("./weir install");
        }
    }

    /** The version of every artifact that the build makes, by its name. */
    private static Map<String, String> modules() {
        String parent = read(ROOT.resolve("pom.xml"));
        String version = first(VERSION, parent);
        Map<String, String> modules = new HashMap<>();
        Matcher module = MODULE.matcher(parent);
        while (module.find()) {
            String pom = read(ROOT.resolve(module.group(1)).resolve("pom.xml"));
            modules.put(first(MODULE_NAME, pom), version);
        }
        return modules;
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern.pattern()).isTrue();
        return matcher.group(1);
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
}
