package dev.weir.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.Subject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, killed or out of disk space. */
@Tag("io")
@Timeout(300)
class SettingsCrashTest {
    @TempDir
    Path directory;

    @Test
    void apply_killedAtRandomMoments_losesNothingAcknowledged() throws Exception {
        SplittableRandom random = new SplittableRandom();
        for (int round = 0; round < 15; round++) {
            long acknowledged = runAndKill(random.nextInt(1, 25));

            try (FileSettings settings = FileSettings.open(directory)) {
                long version = settings.current().version();
                assertThat(version).isBetween(acknowledged, acknowledged + 1);
                assertHoldsEverythingUpTo(version, settings);
            }
            assertThat(directory.resolve("settings.json.tmp")).doesNotExist();
        }
    }

    @Test
    void apply_fileTooLarge_keepsTheOldState() throws Exception {
        // The kernel refuses to let a file grow, as on a full disk, and for root as well.
        Process child = start("ulimit -f 16; exec \"$@\"");
        List<String> lines;
        try (BufferedReader output = output(child)) {
            lines = output.lines().toList();
        }

        String[] last = lines.get(lines.size() - 1).split(" ", 3);
        assertThat(last[0]).isEqualTo("failed");
        assertThat(last[2]).contains("settings.json").contains("the settings are as before");
        long version = Long.parseLong(last[1]);
        assertThat(version).isGreaterThan(10);
        try (FileSettings settings = FileSettings.open(directory)) {
            assertThat(settings.current().version()).isEqualTo(version);
            assertHoldsEverythingUpTo(version, settings);
            assertThat(settings.apply(SettingsChild.change(version + 1)).version())
                    .isEqualTo(version + 1);
        }
    }

    @Test
    void open_usedByAnotherProcess_namesIt() throws Exception {
        Process child = start("exec \"$@\"");
        try (BufferedReader output = output(child)) {
            output.readLine();

            assertThat(catchThrowable(() -> FileSettings.open(directory)))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("in use by process " + child.pid());
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private long runAndKill(int changes) throws Exception {
        Process child = start("exec \"$@\"");
        long acknowledged = 0;
        try (BufferedReader output = output(child)) {
            String opened = output.readLine();
            assertThat(opened).startsWith("open ");
            acknowledged = Long.parseLong(opened.substring(5));
            int seen = 0;
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                acknowledged = Long.parseLong(line);
                if (++seen == changes) {
                    // Process.destroyForcibly would also close the output that is still to be read.
                    child.toHandle().destroyForcibly();
                }
            }
        } finally {
            child.destroyForcibly().waitFor();
        }
        return acknowledged;
    }

    private Process start(String shell) throws IOException {
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        shell,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SettingsChild.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static BufferedReader output(Process child) {
        return new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
    }

    private void assertHoldsEverythingUpTo(long version, FileSettings settings) throws IOException {
        assertThat(settings.current().overrides()).hasSize((int) version);
        LongStream.rangeClosed(1, version)
                .forEach(v -> assertThat(settings.current().overrides())
                        .containsEntry(
                                new Subject("agent", Long.toString(v)), Map.of("agent", Map.of("light", v + "/min"))));
        List<Long> audited = settings.audit(Integer.MAX_VALUE).stream()
                .map(AuditEntry::version)
                .toList();
        // Older files were dropped by then. The rest has no gap and ends with the present version.
        assertThat(audited)
                .containsExactlyElementsOf(LongStream.range(0, audited.size())
                        .mapToObj(i -> version - i)
                        .toList());
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .allMatch(name -> !name.contains("damaged"))
                    .hasSizeLessThanOrEqualTo(8);
        }
    }
}
