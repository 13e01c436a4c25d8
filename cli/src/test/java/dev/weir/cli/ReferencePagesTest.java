package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The lists of docs/events.md and docs/headers.md are complete. Those of docs/metrics.md are checked by the server. */
class ReferencePagesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Pattern DATA = Pattern.compile("\"data\":\\{(.*)}}$");
    private static final Pattern FIELD = Pattern.compile("\"([a-z_]+)\":");
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);
    private static final Pattern HEADER = Pattern.compile(
            "\"(X-RateLimit-\\w+|RateLimit(?:-\\w+)?|X-Weir-(?:Signature|Delivery)|X-Forwarded-\\w+|Idempotency-\\w+|Retry-After|WWW-Authenticate|grpc-[a-z-]+)\"");
    private static final String EVENTS = read(ROOT.resolve("docs/events.md"));

    private static final List<Event> SAMPLES = List.of(
            new Event.Allowed(NOW, Map.of(), "general", 1),
            new Event.Warned(NOW, Map.of(), "general", 1, 10),
            new Event.Denied(
                    NOW, Map.of(), Map.of(), "general", "user", null, 10, Duration.ofSeconds(1), 1, "limited", false),
            new Event.BudgetExhausted(NOW, Map.of(), "ai_tokens", null, 10, 20),
            new Event.Alert(NOW, "a", Event.Alert.Kind.VIOLATIONS, Map.of(), 2, 1, Duration.ofSeconds(1)),
            new Event.AlertEnded(NOW, "a", Event.Alert.Kind.VIOLATIONS, Map.of(), NOW, NOW, 1),
            new Event.StoreUnavailable(NOW, "cause"),
            new Event.StoreRecovered(NOW, Duration.ofSeconds(1)),
            new Event.SettingsChanged(NOW, 1, "ann"),
            new Event.ConfigurationReloaded(NOW, "weir.yaml", List.of()),
            new Event.ConfigurationRejected(NOW, "weir.yaml", "faults"));

    @TestFactory
    Stream<DynamicTest> events_haveTheirTypeAndTheirFields() {
        return SAMPLES.stream().map(event -> {
            String name = event.getClass().getSimpleName();
            return DynamicTest.dynamicTest(name, () -> {
                String section = section(name);
                CloudEvent sent = CloudEvent.of(event, "/weir");
                assertThat(section).contains("`" + sent.type() + "`");
                Matcher data = DATA.matcher(sent.json());
                assertThat(data.find()).isTrue();
                assertThat(all(ROW, section)).isEqualTo(all(FIELD, data.group(1)));
            });
        });
    }

    @Test
    void everyKindOfEvent_hasASample() {
        Set<String> samples = new TreeSet<>();
        SAMPLES.forEach(event -> samples.add(event.getClass().getSimpleName()));
        assertThat(kinds(Event.class, new TreeSet<>())).isEqualTo(samples);
    }

    @Test
    void everyHeaderOfTheCode_isInThePage() throws IOException {
        String page = read(ROOT.resolve("docs/headers.md"));
        Set<String> headers = new TreeSet<>();
        for (String module : List.of("engine", "server", "bindings/servlet", "bindings/grpc", "bindings/spring-boot")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> headers.addAll(all(HEADER, read(file))));
            }
        }
        assertThat(headers)
                .hasSizeGreaterThan(12)
                .allSatisfy(header -> assertThat(page).contains("`" + header + "`"));
    }

    private static Set<String> kinds(Class<?> type, Set<String> names) {
        if (type.isSealed()) {
            for (Class<?> kind : type.getPermittedSubclasses()) {
                kinds(kind, names);
            }
        } else {
            names.add(type.getSimpleName());
        }
        return names;
    }

    private static String section(String name) {
        int begin = EVENTS.indexOf("\n## " + name + "\n");
        assertThat(begin).as("section " + name + " of docs/events.md").isPositive();
        int end = EVENTS.indexOf("\n## ", begin + 1);
        return EVENTS.substring(begin, end < 0 ? EVENTS.length() : end);
    }

    private static Set<String> all(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
