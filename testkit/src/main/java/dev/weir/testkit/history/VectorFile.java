package dev.weir.testkit.history;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.history.VectorReader.Recorded;
import dev.weir.testkit.model.Timing;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The golden vectors: files of histories with the model's results, which ports in other languages replay.
 *
 * <p>Times are microseconds, and a store that replays them keeps every policy on {@link Resolution#MICROS}. The README
 * beside the files describes the format.
 */
public final class VectorFile {
    /** The time at which every history begins. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final String FOLDER = "dev/weir/testkit/vectors/";
    private static final int ROWS = 400;

    private final String name;
    private final HistoryOptions plan;
    /** Empty for a file of random histories. */
    private final List<List<Step>> histories;

    private VectorFile(String name, Set<PolicyKind> kinds, Feature... features) {
        this(name, List.of(), kinds, features);
    }

    private VectorFile(String name, List<List<Step>> histories, Set<PolicyKind> kinds, Feature... features) {
        this.name = name;
        this.histories = histories;
        Timing micros = Timing.sinceEpoch(Resolution.MICROS, START);
        Timing writable = new Timing(
                policy -> micros.resolutions().apply(PolicyText.requireWritable(policy)),
                Resolution.MICROS,
                micros.start());
        this.plan = new HistoryOptions(writable, kinds, Set.of(features), 30);
    }

    /** All files: one for each algorithm, and some with several algorithms. */
    public static List<VectorFile> all() {
        Set<PolicyKind> budgets = EnumSet.complementOf(EnumSet.of(PolicyKind.CONCURRENCY));
        return List.of(
                new VectorFile("token_bucket", Set.of(PolicyKind.TOKEN_BUCKET), Feature.REFUNDS, Feature.RESETS),
                new VectorFile("fixed_window", Set.of(PolicyKind.FIXED_WINDOW), Feature.REFUNDS, Feature.RESETS),
                new VectorFile("sliding_window", Set.of(PolicyKind.SLIDING_WINDOW), Feature.REFUNDS, Feature.RESETS),
                new VectorFile("streak", Set.of(PolicyKind.STREAK), Feature.REFUNDS, Feature.RESETS),
                new VectorFile("calendar_window", Set.of(PolicyKind.CALENDAR_WINDOW), Feature.REFUNDS, Feature.RESETS),
                new VectorFile("concurrency", Set.of(PolicyKind.CONCURRENCY), Feature.LEASES, Feature.SEVERAL_CHARGES),
                new VectorFile("decisions", budgets, Feature.SEVERAL_CHARGES, Feature.REPEATED_KEYS, Feature.REFUNDS),
                new VectorFile("reservations", budgets, Feature.RESERVATIONS, Feature.SEVERAL_CHARGES),
                new VectorFile(
                        "policy_changes",
                        budgets,
                        Feature.POLICY_CHANGES,
                        Feature.REFUNDS,
                        Feature.RESETS,
                        Feature.RESERVATIONS),
                new VectorFile("corner_cases", CornerCases.all(), budgets));
    }

    /** Writes all files again. The argument is the directory of this module's resources. */
    public static void main(String[] args) throws IOException {
        for (VectorFile file : all()) {
            Files.writeString(Path.of(args[0]).resolve(file.path()), file.generate());
        }
    }

    /** The path among the resources. */
    public String path() {
        return FOLDER + name + ".tsv";
    }

    /** The stored content of the file. */
    public String text() {
        try (InputStream in = VectorFile.class.getResourceAsStream("/" + path())) {
            return new String(Objects.requireNonNull(in, path()).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The content as the model would write it now. */
    public String generate() {
        List<String> lines = new ArrayList<>();
        lines.add(VectorRow.header());
        for (int i = 0; i < histories.size(); i++) {
            write(i + 1, histories.get(i), lines);
        }
        for (int seed = 1; histories.isEmpty() && lines.size() <= ROWS; seed++) {
            write(seed, Histories.random(seed, plan).steps(), lines);
        }
        return String.join("\n", lines) + "\n";
    }

    private void write(int number, List<Step> steps, List<String> lines) {
        VectorWriter writer = new VectorWriter("h" + number, plan.timing());
        steps.forEach(writer::write);
        writer.rows().forEach(row -> lines.add(row.format()));
    }

    /**
     * Replays the file, each history on a new store whose clock begins at {@link #START}. It skips histories with a
     * policy that the store does not keep on microseconds, because the recorded results are in microseconds.
     *
     * @return the share of the histories that it could replay, 1 for all
     * @throws AssertionError if a result differs from the recorded one
     */
    public double check(Supplier<? extends StoreUnderTest> stores) {
        Map<String, List<Recorded>> all = VectorReader.read(text());
        int replayed = 0;
        for (Map.Entry<String, List<Recorded>> each : all.entrySet()) {
            try (StoreUnderTest trial = stores.get()) {
                if (isOnMicros(each.getValue(), trial.timing())) {
                    check(each.getKey(), each.getValue(), trial);
                    replayed++;
                }
            }
        }
        return (double) replayed / all.size();
    }

    private static boolean isOnMicros(List<Recorded> history, Timing timing) {
        return history.stream()
                .flatMap(recorded -> recorded.step().charges().stream())
                .map(Charge::policy)
                .allMatch(policy -> policy instanceof CalendarWindow
                        || (timing.holds(policy) && timing.resolutions().apply(policy) == Resolution.MICROS));
    }

    private void check(String id, List<Recorded> history, StoreUnderTest trial) {
        HistorySubject store = new StoreSubject(trial);
        long now = PolicyText.micros(Duration.between(Instant.EPOCH, START));
        for (Recorded recorded : history) {
            trial.advance(PolicyText.ofMicros(recorded.timeMicros() - now));
            now = recorded.timeMicros();
            Object actual = store.live(recorded.step());
            if (!recorded.expected().equals(actual)) {
                throw new AssertionError(path() + ", history " + id + ", at " + now + ": " + recorded.step()
                        + "\n  expected: " + recorded.expected() + "\n  store: " + actual);
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
