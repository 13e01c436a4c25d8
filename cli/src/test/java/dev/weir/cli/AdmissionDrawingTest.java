package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.FixedWindow;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The drawings of docs/concepts.md are what the algorithms do. {@code -Dweir.drawings=true} writes them anew. */
class AdmissionDrawingTest {
    private static final Path IMAGES = ROOT.resolve("docs/images");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final List<AdmissionDrawing> DRAWINGS = List.of(
            new AdmissionDrawing("token-bucket", "Token bucket: 10/min, burst 10", TokenBucket.perMinute(10)),
            new AdmissionDrawing(
                    "fixed-window", "Fixed window: 10/min, from the first request", FixedWindow.of(10, MINUTE)),
            new AdmissionDrawing(
                    "calendar-window",
                    "Calendar window: 10/min, minutes begin at 40 s and 100 s",
                    new CalendarWindow(10, ChronoUnit.MINUTES, ZoneOffset.UTC)),
            new AdmissionDrawing("sliding-window", "Sliding window: 10/min", SlidingWindow.of(10, MINUTE)));

    @TestFactory
    Stream<DynamicTest> drawings_areWhatTheAlgorithmsDo() {
        return DRAWINGS.stream()
                .map(drawing -> DynamicTest.dynamicTest(drawing.name(), () -> {
                    Path file = IMAGES.resolve("admission-" + drawing.name() + ".svg");
                    if (Boolean.getBoolean("weir.drawings")) {
                        Files.writeString(file, drawing.svg());
                    }
                    assertThat(drawing.svg()).isEqualTo(read(file));
                    assertThat(read(ROOT.resolve("docs/concepts.md"))).contains("images/" + file.getFileName());
                }));
    }
}
