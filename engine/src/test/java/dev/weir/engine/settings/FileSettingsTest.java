package dev.weir.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of administrators survive restarts and failures. */
class FileSettingsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");

    @TempDir
    Path directory;

    @Test
    void A9_apply_reopened_isThere() {
        try (FileSettings settings = open()) {
            settings.apply(override("a1", "500/min"));
            settings.apply(override("a2", "1/min"));
            settings.apply(new SettingsChange.RemoveOverride("root", NOW, new Subject("agent", "a2")));
            settings.apply(new SettingsChange.PutDefaults("root", NOW, Map.of("agent", Map.of("light", "240/min"))));
        }

        try (FileSettings settings = open()) {
            assertThat(settings.current())
                    .isEqualTo(new SettingsSnapshot(
                            4,
                            Map.of("agent", Map.of("light", "240/min")),
                            Map.of(new Subject("agent", "a1"), Map.of("agent", Map.of("light", "500/min"))),
                            Map.of()));
        }
    }

    @Test
    void A10_exempt_addedRemovedReplaced_survives() {
        try (FileSettings settings = open()) {
            settings.apply(new SettingsChange.ReplaceExempt("root", NOW, "agent", Set.of("a", "b")));
            settings.apply(new SettingsChange.AddExempt("root", NOW, new Subject("agent", "c")));
            settings.apply(new SettingsChange.RemoveExempt("root", NOW, new Subject("agent", "a")));
            settings.apply(new SettingsChange.AddExempt("root", NOW, new Subject("ip", "::/64")));
            settings.apply(new SettingsChange.RemoveExempt("root", NOW, new Subject("ip", "::/64")));
        }

        try (FileSettings settings = open()) {
            assertThat(settings.current().exempt()).isEqualTo(Map.of("agent", Set.of("b", "c")));
            assertThat(settings.current().isExempt("agent", "c")).isTrue();
            assertThat(settings.current().isExempt("agent", "a")).isFalse();
            assertThat(settings.current().isExempt("user", "c")).isFalse();
        }
    }

    @Test
    void audit_reopened_saysWhoWhenWhat() {
        List<SettingsChange> changes = new ArrayList<>();
        changes.add(override("a1", "500/min"));
        changes.add(new SettingsChange.RemoveOverride("ann", NOW, new Subject("agent", "a1")));
        changes.add(new SettingsChange.PutDefaults("bob", NOW, Map.of("x", Map.of())));
        changes.add(new SettingsChange.AddExempt("bob", NOW.plusSeconds(1), new Subject("agent", "")));
        changes.add(new SettingsChange.RemoveExempt("bob", NOW, new Subject("agent", "b")));
        changes.add(new SettingsChange.ReplaceExempt("bob", NOW, "agent", Set.of("z")));
        changes.add(new SettingsChange.ResetBudgets("bob", NOW, Map.of("agent", "z", "channel", "ws")));
        try (FileSettings settings = open()) {
            changes.forEach(settings::apply);
        }

        try (FileSettings settings = open()) {
            List<AuditEntry> audit = settings.audit(100);
            for (int i = 0; i < changes.size(); i++) {
                assertThat(audit.get(changes.size() - 1 - i)).isEqualTo(new AuditEntry(i + 1, changes.get(i)));
            }
            assertThat(settings.audit(2)).isEqualTo(audit.subList(0, 2));
        }
    }

    @Test
    void resetBudgets_changesNoSetting() {
        try (FileSettings settings = open()) {
            SettingsSnapshot before = settings.apply(override("a1", "500/min"));
            SettingsSnapshot after =
                    settings.apply(new SettingsChange.ResetBudgets("bob", NOW, Map.of("agent", "\uD800\n")));

            assertThat(after)
                    .isEqualTo(new SettingsSnapshot(2, before.defaults(), before.overrides(), before.exempt()));
        }
        try (FileSettings settings = open()) {
            assertThat(settings.audit(1).get(0).change())
                    .isEqualTo(new SettingsChange.ResetBudgets("bob", NOW, Map.of("agent", "\uD800\n")));
        }
    }

    @Test
    void audit_manyChanges_isBounded() throws IOException {
        try (FileSettings settings = FileSettings.open(directory, 1_000)) {
            for (int i = 0; i < 60; i++) {
                settings.apply(override("a", i + "/min"));
            }
        }

        try (var files = Files.list(directory)) {
            assertThat(files.filter(file -> file.toString().contains("audit")))
                    .hasSize(5)
                    .allSatisfy(file -> assertThat(Files.size(file)).isLessThan(1_200));
        }
        try (FileSettings settings = FileSettings.open(directory, 1_000)) {
            assertThat(settings.audit(1_000)).hasSizeBetween(20, 40);
            assertThat(settings.audit(1).get(0).version()).isEqualTo(60);
        }
    }

    @Test
    void apply_hostileNames_roundTrip() {
        List<String> hostile = List.of(
                "",
                " ",
                "\"",
                "\\",
                "\n\r\t\u0000",
                "../../etc/passwd",
                "{\"a\":1}",
                "\uD800",
                "\uDC00\uD800",
                "\uD83D\uDE00",
                "\u202E",
                "a\u0301",
                "\u00E1",
                "null",
                "__proto__",
                "\uFFFF",
                "x".repeat(1_024),
                "</script>",
                "\u2028");
        try (FileSettings settings = open()) {
            for (String name : hostile) {
                settings.apply(override(name, "1/min"));
                String row = nameOf(name);
                settings.apply(new SettingsChange.PutOverride(
                        row, NOW, new Subject(row, name), Map.of(row, Map.of(row, row))));
            }
            settings.apply(new SettingsChange.ReplaceExempt("root", NOW, "agent", new LinkedHashSet<>(hostile)));
        }

        try (FileSettings settings = open()) {
            assertThat(settings.current().exempt().get("agent")).containsExactlyElementsOf(hostile);
            for (String name : hostile) {
                String row = nameOf(name);
                assertThat(settings.current().overrides())
                        .containsKey(new Subject("agent", name))
                        .containsEntry(new Subject(row, name), Map.of(row, Map.of(row, row)));
            }
            assertThat(settings.audit(1_000)).hasSize(hostile.size() * 2 + 1);
        }
    }

    @Test
    void open_cutAnywhere_isAnErrorThatLosesNothing() throws IOException {
        byte[] whole = written();
        for (int length = 0; length < whole.length - 2; length++) {
            byte[] torn = Arrays.copyOf(whole, length);
            Files.write(file(), torn);

            assertThatThrownBy(this::open)
                    .isInstanceOf(SettingsException.class)
                    .hasMessageStartingWith(file().toRealPath().toString());
            assertThat(file()).hasBinaryContent(torn);
        }
    }

    @Test
    void open_anyByteChanged_isAnErrorThatLosesNothing() throws IOException {
        byte[] whole = written();
        for (int at = 0; at < whole.length - 1; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 1;
            Files.write(file(), changed);

            assertThatThrownBy(this::open).isInstanceOf(SettingsException.class).hasMessageContaining("settings.json");
            assertThat(file()).hasBinaryContent(changed);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"weir-settings\":3,\"anything\":[]}|has format 3",
                "{\"name\":\"package.json\"}|is not a settings file of Weir",
                "[]|is not a settings file of Weir",
                "hello|is damaged or not a settings file",
                "<html>|is damaged or not a settings file",
                "{\"weir-settings\":1}|'sha256' belongs",
            })
    void open_foreignFile_saysWhatToDo(String content, String message) throws IOException {
        Files.writeString(file(), content);

        assertThatThrownBy(this::open)
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("settings.json")
                .hasMessageContaining(";");
        assertThat(file()).hasContent(content);
    }

    @Test
    void open_editedByHand_wantsItSaidSo() throws IOException {
        String edited = new String(written(), StandardCharsets.UTF_8).replace("500/min", "501/min");
        Files.writeString(file(), edited);
        assertThatThrownBy(this::open).hasMessageContaining("checksum").hasMessageContaining("\"sha256\":\"none\"");

        Files.writeString(file(), edited.replaceFirst("\"sha256\":\"[0-9a-f]+\"", "\"sha256\":\"none\""));
        try (FileSettings settings = open()) {
            assertThat(settings.current().overrides().get(new Subject("agent", "a1")))
                    .isEqualTo(Map.of("agent", Map.of("light", "501/min")));
        }
    }

    @Test
    void open_leftoverOfACrash_isCleared() throws IOException {
        written();
        Files.writeString(directory.resolve("settings.json.tmp"), "{\"weir-set");
        Path audit = directory.resolve("settings-audit.jsonl");
        String whole = Files.readString(audit);
        // A change that was audited but not applied, and a torn line.
        Files.writeString(audit, whole + whole.replace("\"version\":1", "\"version\":2") + "{\"version\":3,\"wh");

        try (FileSettings settings = open()) {
            assertThat(settings.current().version()).isEqualTo(1);
            assertThat(settings.audit(10)).hasSize(1);
            settings.apply(override("a2", "1/min"));
        }
        assertThat(Files.readAllLines(audit)).hasSize(2);
        assertThat(directory.resolve("settings.json.tmp")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage\n", "\u0000\u0000\u0000", "{}\n"})
    void open_damagedAudit_isPutAsideWhole(String damage) throws IOException {
        written();
        Path audit = directory.resolve("settings-audit.jsonl");
        Files.writeString(audit, damage);

        try (FileSettings settings = open()) {
            assertThat(settings.current().version()).isEqualTo(1);
            settings.apply(override("a2", "1/min"));
            assertThat(settings.audit(10)).hasSize(1);
        }
        assertThat(directory.resolve("settings-audit.jsonl.damaged-1")).hasContent(damage);
    }

    @ParameterizedTest
    @ValueSource(strings = {"edit", "remove first", "remove middle", "remove last", "swap", "copy", "relink one"})
    void auditFault_linesChangedByHand_isReportedOnReadAndOnOpen(String how) throws IOException {
        Path audit = directory.resolve("settings-audit.jsonl");
        try (FileSettings settings = FileSettings.open(directory)) {
            for (int i = 1; i <= 5; i++) {
                settings.apply(new SettingsChange.AddExempt("admin@10.0.0." + i, NOW, new Subject("agent", "a" + i)));
            }
            assertThat(settings.auditFault()).isNull();
            List<String> lines = new ArrayList<>(Files.readAllLines(audit));
            switch (how) {
                case "edit" -> lines.set(1, lines.get(1).replace("admin@10.0.0.2", "admin@10.0.0.9"));
                case "remove first" -> lines.remove(0);
                case "remove middle" -> lines.remove(2);
                case "remove last" -> lines.remove(4);
                case "swap" -> lines.add(1, lines.remove(2));
                case "copy" -> lines.add(2, lines.get(1));
                default -> {
                    lines.set(1, lines.get(1).replace("a2", "b2"));
                    String hash = AuditChain.hash(lines.get(1).getBytes(StandardCharsets.UTF_8));
                    lines.set(2, lines.get(2).replaceFirst("[0-9a-f]{64}", hash));
                }
            }
            Files.write(audit, lines);
            assertThat(settings.auditFault()).startsWith("settings-audit.jsonl");
        }
        try (FileSettings settings = FileSettings.open(directory)) {
            assertThat(settings.auditFault()).isNotNull();
        }
    }

    @Test
    void auditFault_lastLineChangedByHand_isReportedOnRead() throws IOException {
        Path audit = directory.resolve("settings-audit.jsonl");
        try (FileSettings settings = FileSettings.open(directory)) {
            settings.apply(new SettingsChange.AddExempt("admin@10.0.0.1", NOW, new Subject("agent", "a1")));
            settings.apply(new SettingsChange.AddExempt("admin@10.0.0.2", NOW, new Subject("agent", "a2")));
            Files.writeString(audit, Files.readString(audit).replace("10.0.0.2", "10.0.0.9"));
            assertThat(settings.auditFault()).startsWith("settings-audit.jsonl: the last line");
        }
    }

    @Test
    void auditFault_rotatedReopenedAndFailedChanges_isNull() {
        for (int round = 0; round < 4; round++) {
            try (FileSettings settings = FileSettings.open(directory, 600)) {
                for (int i = 0; i < 5; i++) {
                    settings.apply(new SettingsChange.AddExempt("admin", NOW, new Subject("agent", "a" + round + i)));
                    assertThat(settings.auditFault()).isNull();
                }
            }
        }
    }

    @Test
    void auditFault_linesOfAnOlderRelease_areAccepted_untilLinkedOnesFollow() throws IOException {
        Path audit = directory.resolve("settings-audit.jsonl");
        try (FileSettings settings = FileSettings.open(directory)) {
            settings.apply(new SettingsChange.AddExempt("admin", NOW, new Subject("agent", "a")));
        }
        Files.writeString(audit, Files.readString(audit).replaceFirst(",\"previous\":\"[0-9a-f]{64}\"", ""));
        try (FileSettings settings = FileSettings.open(directory)) {
            settings.apply(new SettingsChange.AddExempt("admin", NOW, new Subject("agent", "b")));
            assertThat(settings.auditFault()).isNull();
            Files.writeString(audit, Files.readString(audit).replaceFirst("\"a\"", "\"x\""));
            assertThat(settings.auditFault()).startsWith("settings-audit.jsonl:2: ");
        }
    }

    @Test
    void open_olderCopyRestored_keepsTheAuditOfWhatCameAfter() throws IOException {
        byte[] copy = written();
        try (FileSettings settings = open()) {
            settings.apply(override("a2", "1/min"));
            settings.apply(override("a3", "1/min"));
        }
        Files.write(file(), copy);

        open().close();
        assertThat(Files.readAllLines(directory.resolve("settings-audit.jsonl.damaged-1")))
                .hasSize(3);
    }

    @Test
    void open_twiceInOneProcess_isRefusedAndTheFirstStaysLocked() {
        try (FileSettings first = open()) {
            assertThatThrownBy(this::open).isInstanceOf(SettingsException.class).hasMessageContaining("in use");
            assertThatThrownBy(() -> FileSettings.open(directory.resolve("../" + directory.getFileName())))
                    .isInstanceOf(SettingsException.class);
            first.apply(override("a1", "1/min"));
        }
        open().close();
    }

    @Test
    void open_missingDirectory_makesItForTheOwnerOnly() throws IOException {
        Path made = directory.resolve("a/b");
        try (FileSettings settings = FileSettings.open(made)) {
            settings.apply(override("a1", "1/min"));
        }

        assertThat(Files.getPosixFilePermissions(made)).hasSize(3);
        assertThat(Files.getPosixFilePermissions(made.resolve("settings.json"))).hasSize(2);
    }

    @Test
    void open_fileInPlaceOfTheDirectory_isAClearError() throws IOException {
        Path taken = Files.createFile(directory.resolve("taken"));

        assertThatThrownBy(() -> FileSettings.open(taken))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(taken.toString());
    }

    @Test
    void apply_unwritable_keepsTheOldStateAndLaterSucceeds() throws IOException {
        try (FileSettings settings = open()) {
            settings.apply(override("a1", "1/min"));
            SettingsSnapshot before = settings.current();
            byte[] content = Files.readAllBytes(file());
            // Root may write anywhere, so permissions would prove nothing. This directory blocks every user.
            Path obstacle = Files.createDirectory(directory.resolve("settings.json.tmp"));
            Path inside = Files.createFile(obstacle.resolve("x"));

            assertThatThrownBy(() -> settings.apply(override("a2", "1/min")))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContaining("settings.json")
                    .hasMessageContaining("as before");
            assertThat(settings.current()).isSameAs(before);
            assertThat(settings.audit(10)).hasSize(1);
            assertThat(file()).hasBinaryContent(content);
            assertThat(Files.readAllLines(directory.resolve("settings-audit.jsonl")))
                    .hasSize(1);

            Files.delete(inside);
            Files.delete(obstacle);
            assertThat(settings.apply(override("a2", "1/min")).version()).isEqualTo(2);
        }
        try (FileSettings settings = open()) {
            assertThat(settings.current().version()).isEqualTo(2);
            assertThat(settings.audit(10)).hasSize(2);
        }
    }

    @Test
    void apply_symbolicLinkInTheWay_isNotFollowed() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        try (FileSettings settings = open()) {
            Files.createSymbolicLink(directory.resolve("settings.json.tmp"), victim);

            assertThatThrownBy(() -> settings.apply(override("a1", "1/min"))).isInstanceOf(SettingsException.class);
            assertThat(victim).hasContent("precious");
        }
    }

    @Test
    void apply_closed_isMisuse() {
        FileSettings settings = open();
        settings.close();
        settings.close();

        assertThatThrownBy(() -> settings.apply(override("a1", "1/min"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void apply_manyThreads_everyChangeHasItsVersion() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (FileSettings settings = open()) {
            List<Long> told = new ArrayList<>();
            settings.onChange(snapshot -> told.add(snapshot.version()));
            CountDownLatch start = new CountDownLatch(1);
            List<Future<SettingsSnapshot>> results = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                SettingsChange change = override("a" + i, "1/min");
                results.add(threads.submit(() -> {
                    start.await();
                    return settings.apply(change);
                }));
            }
            start.countDown();
            Set<Long> versions = new LinkedHashSet<>();
            for (Future<SettingsSnapshot> result : results) {
                versions.add(result.get().version());
            }

            assertThat(versions).hasSize(40);
            assertThat(settings.current().overrides()).hasSize(40);
            assertThat(told).isSorted().hasSize(40);
        } finally {
            threads.shutdownNow();
        }
    }

    private FileSettings open() {
        return FileSettings.open(directory);
    }

    /** Shortened to the longest allowed name, without half characters. */
    private static String nameOf(String hostile) {
        boolean halved = hostile.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF);
        return hostile.isEmpty() || halved ? "-" : hostile.substring(0, Math.min(256, hostile.length()));
    }

    private Path file() {
        return directory.resolve("settings.json");
    }

    /** The bytes of a file with one override. */
    private byte[] written() throws IOException {
        try (FileSettings settings = open()) {
            settings.apply(override("a1", "500/min"));
        }
        return Files.readAllBytes(file());
    }

    private static SettingsChange override(String agent, String rate) {
        return new SettingsChange.PutOverride(
                "root", NOW, new Subject("agent", agent), Map.of("agent", Map.of("light", rate)));
    }
}
