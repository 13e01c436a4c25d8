package dev.weir.benchmarks.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ChartsTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path RESULTS = DOCS.resolve("benchmarks");

    @TempDir
    Path directory;

    /** {@code ./weir bench --charts docs/benchmarks} writes them anew. */
    @Test
    void chartsOfTheDocuments_areThoseOfTheirResults() throws IOException {
        Map<String, String> charts = Charts.of(RESULTS);
        assertThat(charts).hasSizeGreaterThanOrEqualTo(6);
        String page = Files.readString(DOCS.resolve("benchmarks.md"));
        charts.forEach((name, svg) -> {
            assertThat(RESULTS.resolve(name))
                    .as("run ./weir bench --charts docs/benchmarks")
                    .hasContent(svg);
            assertThat(page).contains("benchmarks/" + name);
        });
    }

    /** The cluster's results are of a former engine, so the documents have no file of them. */
    @Test
    void everyBar_isMeasured() throws IOException {
        ResultFiles results = ResultFiles.in(RESULTS);
        assertThat(Charts.cases())
                .filteredOn(id -> !id.startsWith("cluster/"))
                .allSatisfy(id -> assertThat(results.find(id)).as(id).isNotNull());
    }

    @Test
    void of_oneMeasuredCase_drawsOneBarWithItsOrigin() throws Exception {
        write("one.json", "2026-01-01", "{\"id\": \"hot/allowed/1/weirHandle\", \"cpuNanosPerOp\": 40.25}");
        Map<String, String> charts = Charts.of(directory);
        assertThat(charts).containsOnlyKeys("hot-key.svg");
        String svg = charts.get("hot-key.svg");
        assertThat(svg).contains(">Weir<", ">40.3<", "Measured 2026-01-01: ./weir bench", "on 2 &lt;cores&gt;");
        assertThat(svg).doesNotContain("Guava", "allowed, 2 threads");
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    @Test
    void of_aCaseOfTwoRuns_takesTheLater() throws Exception {
        write("a.json", "2026-02-01", "{\"id\": \"heap/1m/weir\", \"bytesPerKey\": 33.0}");
        write("b.json", "2026-01-01", "{\"id\": \"heap/1m/weir\", \"bytesPerKey\": 99.0}");
        assertThat(Charts.of(directory).get("heap.svg")).contains(">33.0<").doesNotContain("99.0");
    }

    @Test
    void of_aCaseWithoutTheFigure_leavesItOut() throws Exception {
        write("a.json", "2026-02-01", "{\"id\": \"hot/allowed/1/guava\", \"bytesPerOp\": 33.0}");
        assertThat(Charts.of(directory)).isEmpty();
    }

    @Test
    void of_anotherFile_saysWhatIsNeeded() throws Exception {
        Files.writeString(directory.resolve("list.json"), "[1]");
        assertThatThrownBy(() -> Charts.of(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("list.json has no JSON object");
    }

    private void write(String name, String date, String one) throws IOException {
        Files.writeString(
                directory.resolve(name),
                "{\"machine\": \"2 <cores>\", \"date\": \"" + date + "\", \"command\": \"./weir bench\", \"cases\": ["
                        + one + "]}");
    }
}
