package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.documents;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.config.ConfigurationReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Envoy's files become Weir's, also those that the documents show. */
class ImportCommandTest {
    private static final Pattern BLOCK =
            Pattern.compile("^```yaml envoy\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    @Test
    void files_areWrittenAsAConfiguration_andDifferencesAreNoted() throws IOException {
        Path file = Files.writeString(directory.resolve("shop.yaml"), """
                domain: shop
                descriptors:
                  - key: user
                    rate_limit: { unit: minute, requests_per_unit: 60 }
                  - key: report
                    rate_limit: { unit: month, requests_per_unit: 4 }
                """);

        assertThat(run("import", "envoy", file.toString())).isZero();

        assertThat(new ConfigurationReader()
                        .read("imported.yaml", out.toString())
                        .orThrow()
                        .limits())
                .extracting(limit -> limit.name() + " " + limit.rates())
                .containsExactly("shop.user {default=[60/min]}", "shop.report {default=[4/30d]}");
        assertThat(err.toString())
                .isEqualTo(
                        "weir: note: shop.report has windows that begin with their first request; Envoy's are aligned"
                                + " to multiples of a month since 1970\n");
    }

    @Test
    void faults_arePrinted_withTheirPlaces() throws IOException {
        Path file = Files.writeString(directory.resolve("bad.yaml"), "domain: a\ndescriptor: []\n");

        assertThat(run("import", "envoy", file.toString())).isEqualTo(1);

        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .isEqualTo(file + ":2:1: unknown key 'descriptor' in the file; did you mean 'descriptors'?\n");
    }

    @Test
    void otherServices_areInvalidUsage() {
        assertThat(run("import", "haproxy", "x.yaml")).isEqualTo(Main.USAGE);
    }

    @TestFactory
    Stream<DynamicTest> examplesOfEnvoysFiles_areValid() {
        return documents()
                .flatMap(document -> BLOCK.matcher(read(document))
                        .results()
                        .map(block -> DynamicTest.dynamicTest(
                                ROOT.relativize(document).toString(), () -> assertImports(block))));
    }

    @Test
    void examplesOfEnvoysFiles_areFound() {
        for (String document : List.of("docs/envoy.md", "docs/migrating/envoy-ratelimit.md")) {
            assertThat(BLOCK.matcher(read(ROOT.resolve(document))).results())
                    .as(document)
                    .isNotEmpty();
        }
    }

    private void assertImports(MatchResult block) throws IOException {
        Path file = Files.writeString(Files.createTempFile(directory, "envoy", ".yaml"), block.group(1));
        assertThat(run("import", "envoy", file.toString())).as(err.toString()).isZero();
        assertThat(new ConfigurationReader()
                        .read("imported.yaml", out.toString())
                        .orThrow()
                        .limits())
                .isNotEmpty();
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
