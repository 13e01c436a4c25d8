package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./weir prove} makes of Maven's reports; Maven itself is a script that writes some. */
@Tag("io")
class ProveTest {
    @TempDir
    Path directory;

    private String failure = "";

    @BeforeEach
    void copyTheLauncher() throws IOException {
        Files.copy(ROOT.resolve("weir"), directory.resolve("weir"));
        script("stores/durable-objects/worker/serve", "echo installed");
    }

    private void script(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void report(String module, String type, String... cases) throws IOException {
        Path reports = Files.createDirectories(directory.resolve("reports").resolve(module));
        String counts = "tests=\"%d\" errors=\"0\" skipped=\"0\" failures=\"%d\""
                .formatted(
                        String.join("", cases).split("<testcase ", -1).length - 1,
                        String.join("", cases).contains("<failure") ? 1 : 0);
        Files.writeString(
                reports.resolve("TEST-dev.weir." + type + ".xml"),
                "<testsuite name=\"" + type + "\" " + counts + ">\n" + String.join("\n", cases) + "\n</testsuite>\n");
        Files.writeString(reports.resolve("dev.weir." + type + ".txt"), "Test set: " + type + "\n");
    }

    private static String passed(String name, String type) {
        return "<testcase name=\"" + name + "\" classname=\"dev.weir." + type + "\" time=\"0.1\"/>";
    }

    private String prove(int code, String... arguments) throws Exception {
        script("bin/mvn", """
                echo "$@" >"$PWD/arguments"
                for module in testkit stores/redis stores/cluster; do
                  mkdir -p "$PWD/$module/target"
                  [ ! -d "$PWD/reports/$module" ] || cp -r "$PWD/reports/$module" "$PWD/$module/target/surefire-reports-prove"
                done
                echo '[INFO] Building Weir Store Redis 1 [1/2]'
                echo '[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in dev.weir.A'
                """ + failure);
        ProcessBuilder builder =
                new ProcessBuilder("bash", directory.resolve("weir").toString(), "prove");
        builder.command().addAll(List.of(arguments));
        builder.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isEqualTo(code);
        return text;
    }

    private String arguments() throws IOException {
        return Files.readString(directory.resolve("arguments"));
    }

    @Test
    void prove_endsWithATableOfStoresAndEvidence() throws Exception {
        report(
                "testkit",
                "MemoryStoreContractTest",
                passed("one", "StoreContract$Admission"),
                passed("two", "StoreContract$Keys"),
                passed("many", "GivenClockContract$Histories"),
                "<testcase name=\"three\" classname=\"dev.weir.StoreContract$Leases\">",
                "<skipped message=\"declared\"/>",
                "</testcase>");
        report("testkit", "PackedTableLincheckTest", passed("a", "PackedTableLincheckTest"));
        report("stores/redis", "RedisClusterContractTest", passed("a", "StoreContract$Admission"));
        report("stores/redis", "RedisFailureTest", passed("a", "RedisFailureTest"));
        report("stores/cluster", "ClusterFaultIT", passed("a", "ClusterFaultIT"), passed("b", "ClusterFaultIT"));
        assertThat(prove(0))
                .contains("in its short form", "    A: 1 test (1 s)")
                .containsPattern("(?m)^store +contract +histories +concurrency +faults *$")
                .containsPattern("(?m)^memory +2 passed, 1 n/a +1 passed +1 passed +- *$")
                .containsPattern("(?m)^Redis +- +- +- +1 passed *$")
                .containsPattern("(?m)^Redis Cluster +1 passed +- +- +- *$")
                .containsPattern("(?m)^cluster +- +- +- +2 passed *$")
                .contains("Tests run: 9, Failures: 0, Errors: 0");
        assertThat(arguments())
                .contains("*ContractTest,", "ClusterFaultIT", " test")
                .doesNotContain("weir.cluster.rounds");
    }

    @Test
    void prove_withAFailure_showsItAndFails() throws Exception {
        failure = "exit 1";
        report(
                "stores/redis",
                "RedisStoreContractTest",
                passed("one", "StoreContract$Admission"),
                "<testcase name=\"two\" classname=\"dev.weir.StoreContract$Keys\">\n<failure message=\"no\">no</failure>\n</testcase>");
        assertThat(prove(1))
                .containsPattern("(?m)^Redis +1 FAILED of 2 +- +- +- *$")
                .contains("Test set: RedisStoreContractTest");
    }

    @Test
    void prove_full_replaysMoreHistories_ofANewSeedThatItPrints() throws Exception {
        report("testkit", "MemoryStoreContractTest", passed("one", "StoreContract$Admission"));
        String text = prove(0, "--full");
        String seed = text.replaceFirst("(?s).*\\(seed (\\d+)\\).*", "$1");
        assertThat(arguments())
                .contains("-Dweir.histories.seed=" + seed + " ", "-Dweir.cluster.rounds=3", "-Dweir.sql.histories=");
    }

    @Test
    void prove_withAnUnknownOption_runsNothing() throws Exception {
        assertThat(prove(64, "--ful")).contains("'prove' takes --quick or --full, but was given '--ful'");
        assertThat(directory.resolve("arguments")).doesNotExist();
    }
}
