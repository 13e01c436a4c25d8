package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Fault;
import dev.weir.engine.event.Event;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A changed file applies without a restart; an invalid one changes nothing. The test uses the disk, because files are
 * its subject.
 */
@Timeout(300)
class ReloadTest {
    private static final String TWO = "limits: [{ name: a, per: [user], rate: 2/hour }]\n";
    private static final String THREE = "limits: [{ name: a, per: [user], rate: 3/hour }]\n";

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = directory.resolve("weir.yaml");
        Files.writeString(file, TWO);
    }

    private static int allowed(Weir weir, int requests) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += weir.check(Map.of("user", "u")).allowed() ? 1 : 0;
        }
        return allowed;
    }

    @Test
    void load_decidesByTheFile() {
        try (Weir weir = Weir.load(file)) {
            assertThat(allowed(weir, 9)).isEqualTo(2);
        }
    }

    @Test
    void load_aBadFile_saysEverythingThatIsWrong() throws IOException {
        Files.writeString(file, "limits: [{ name: a, rate: 2/mni, burts: 3 }]\nstor: memory\n");
        assertThatThrownBy(() -> Weir.load(file))
                .isInstanceOfSatisfying(
                        ConfigurationException.class,
                        e -> assertThat(e.faults()).hasSize(3));
        assertThatThrownBy(() -> Weir.load(directory.resolve("none.yaml")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("there is no such file");
    }

    @Test
    void load_aStoreThatNoModuleOpens_saysWhatToAddAndNoPassword() throws IOException {
        Files.writeString(file, "store: redis://user:hunter2@localhost:6379\n" + TWO);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Weir.load(file))
                .withMessageContaining("redis:")
                .withMessageContaining("dev.weir:weir-store-redis")
                .satisfies(e -> assertThat(e).hasMessageNotContaining("hunter2"));
    }

    @Test
    void reload_appliesAndKeepsCounts() throws IOException {
        try (Weir weir = Weir.load(file, WeirOptions.defaults().withoutFollowing())) {
            assertThat(allowed(weir, 9)).isEqualTo(2);
            Files.writeString(file, THREE);
            assertThat(allowed(weir, 9)).as("not before it is told to").isZero();
            assertThat(weir.reload()).isEmpty();
            assertThat(allowed(weir, 9)).isEqualTo(1);
        }
    }

    @Test
    void reload_aBadFile_isReportedAndTheLastGoodOneStays() throws IOException {
        List<Event> events = new CopyOnWriteArrayList<>();
        try (Weir weir = Weir.load(file, WeirOptions.defaults().withoutFollowing())) {
            weir.events().subscribe("test", 100, events::add);
            Files.writeString(file, "limits: [{ name: a, per: [user], rate: 9/hour, burts: 1 }]\n");
            assertThat(weir.reload())
                    .extracting(Fault::message)
                    .singleElement()
                    .asString()
                    .contains("burts");
            assertThat(allowed(weir, 9)).isEqualTo(2);
            Files.writeString(file, "store: jdbc:sqlite:x.db\n" + THREE);
            assertThat(weir.reload())
                    .extracting(Fault::message)
                    .containsExactly("store was changed; that needs a restart");
            Files.delete(file);
            assertThat(weir.reload()).hasSize(1);
            assertThat(allowed(weir, 9)).isZero();
            Files.writeString(file, THREE);
            assertThat(weir.reload()).isEmpty();
            await().untilAsserted(() -> assertThat(events)
                    .extracting(event -> event.getClass().getSimpleName())
                    .filteredOn(name -> name.startsWith("Configuration"))
                    .containsExactly(
                            "ConfigurationRejected",
                            "ConfigurationRejected",
                            "ConfigurationRejected",
                            "ConfigurationReloaded"));
        }
    }

    @Test
    void reload_withoutAFile_isAnError() {
        try (Weir weir = Weir.inMemory(PresetEngine.configuration(TWO))) {
            assertThatThrownBy(weir::reload).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void following_takesUpAChangeByItself() throws IOException {
        try (Weir weir = Weir.load(file)) {
            allowed(weir, 9);
            Files.writeString(file, "limits: [");
            Files.writeString(file, THREE);
            await().until(() ->
                    weir.configuration().limit("a").rates().toString().contains("3/"));
            assertThat(allowed(weir, 9)).isEqualTo(1);
        }
    }

    @Test
    void look_countsAChangeOnlyWhenItHasStoodStill() throws IOException {
        ConfigurationFile looked = new ConfigurationFile(file, new ConfigurationReader());
        assertThat(looked.look()).isNull();
        Files.writeString(file, "limits: [{ name: a, per: [user], rate: 2/h");
        assertThat(looked.look()).isNull();
        Files.writeString(file, THREE);
        assertThat(looked.look()).as("half of it was seen").isNull();
        assertThat(looked.look()).isInstanceOf(ConfigurationReader.Result.Accepted.class);
        assertThat(looked.look()).isNull();
        Files.delete(file);
        assertThat(looked.look()).isNull();
        assertThat(looked.look()).as("a file that is gone is not a change").isNull();
        Files.writeString(file, "limits: 5");
        looked.look();
        assertThat(looked.look()).isInstanceOf(ConfigurationReader.Result.Rejected.class);
        assertThat(looked.look()).as("reported once").isNull();
    }

    @Test
    void settings_inADirectory_surviveARestart() {
        WeirOptions options = WeirOptions.defaults().withData(directory.resolve("data"));
        try (Weir weir = Weir.load(file, options)) {
            weir.change(new SettingsChange.PutOverride(
                    "admin", Instant.EPOCH, new Subject("user", "u"), Map.of("a", Map.of("default", "5/hour"))));
            weir.change(new SettingsChange.AddExempt("admin", Instant.EPOCH, new Subject("user", "vip")));
            assertThat(allowed(weir, 9)).isEqualTo(5);
        }
        try (Weir weir = Weir.load(file, options)) {
            assertThat(allowed(weir, 9)).isEqualTo(5);
            for (int i = 0; i < 9; i++) {
                assertThat(weir.check(Map.of("user", "vip")).allowed()).isTrue();
            }
            assertThat(weir.audit(9)).hasSize(2);
        }
    }
}
