package dev.weir.cli;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A drawing of how a policy of ten units admits requests over time, made by the memory store itself. A client sends a
 * request every two seconds and pauses once.
 *
 * @param name the name of the SVG file
 * @param title what it shows
 */
record AdmissionDrawing(String name, String title, Policy policy) {
    private static final int SECONDS = 150;
    private static final int CAPACITY = 10;
    private static final int LEFT = 48;
    private static final int TOP = 44;
    private static final int WIDTH = 700;
    private static final int HEIGHT = 120;
    private static final int REQUESTS_AT = TOP + HEIGHT + 18;

    /** The time on the wall when the drawing begins: a minute of the calendar begins 40 seconds later. */
    private static final Duration INTO_THE_MINUTE = Duration.ofSeconds(20);

    String svg() {
        FakeClock clock = new FakeClock();
        clock.set(FakeClock.START.plus(INTO_THE_MINUTE));
        StringBuilder line = new StringBuilder();
        StringBuilder requests = new StringBuilder();
        try (MemoryStore store =
                MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock))) {
            List<Charge> one = List.of(new Charge(Key.of("drawing", "client"), policy, 1));
            for (int second = 0; second <= SECONDS; second++) {
                point(line, second, store.peek(one).await().reading(0).remaining());
                if (isSent(second)) {
                    boolean allowed = store.consume(one).await().admitted();
                    requests.append(allowed ? allowed(x(second)) : denied(x(second)));
                    point(line, second, store.peek(one).await().reading(0).remaining());
                }
                clock.advance(Duration.ofSeconds(1));
            }
        }
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 232" role="img" aria-labelledby="t d">
                <title id="t">%s</title>
                <desc id="d">What is left of ten units over %d seconds, and below it each request: a dot is allowed, a cross is denied.</desc>
                <style>
                svg { background: #fff; font: 13px system-ui, sans-serif; fill: #24292f }
                .axis { stroke: #8c959f; fill: none }
                .left { stroke: #0550ae; stroke-width: 2; fill: #0550ae; fill-opacity: .12 }
                .allowed { fill: #0550ae }
                .denied { stroke: #b35900; stroke-width: 2 }
                @media (prefers-color-scheme: dark) {
                svg { background: #0d1117; fill: #e6edf3 }
                .axis { stroke: #6e7681 }
                .left { stroke: #79c0ff; fill: #79c0ff }
                .allowed { fill: #79c0ff }
                .denied { stroke: #f0883e }
                }
                </style>
                <text x="%d" y="22" font-weight="600">%s</text>
                %s<path class="left" d="M%d %d%sL%d %dZ"/>
                %s<text x="%d" y="226">● allowed · ✕ denied · line: what is left</text>
                </svg>
                """.formatted(
                        title,
                        SECONDS,
                        LEFT,
                        title,
                        axes(),
                        LEFT,
                        TOP + HEIGHT,
                        line,
                        x(SECONDS),
                        TOP + HEIGHT,
                        requests,
                        LEFT);
    }

    /** Every two seconds, but for a pause of 20 seconds. */
    private static boolean isSent(int second) {
        return second >= 4 && second % 2 == 0 && (second < 64 || second > 84);
    }

    private static void point(StringBuilder line, int second, long remaining) {
        line.append("H%dV%d".formatted(x(second), y(remaining)));
    }

    private static int x(int second) {
        return LEFT + second * WIDTH / SECONDS;
    }

    private static int y(long remaining) {
        return (int) (TOP + HEIGHT - remaining * HEIGHT / CAPACITY);
    }

    private static String allowed(int x) {
        return "<circle class=\"allowed\" cx=\"%d\" cy=\"%d\" r=\"4\"/>\n".formatted(x, REQUESTS_AT);
    }

    private static String denied(int x) {
        return "<path class=\"denied\" d=\"M%d %dl6 6m0 -6l-6 6\"/>\n".formatted(x - 3, REQUESTS_AT - 3);
    }

    private static String axes() {
        StringBuilder axes = new StringBuilder();
        for (int units = 0; units <= CAPACITY; units += 5) {
            axes.append(String.format(
                    Locale.ROOT,
                    "<path class=\"axis\" d=\"M%d %dh%d\" stroke-opacity=\".4\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>\n",
                    LEFT,
                    y(units),
                    WIDTH,
                    LEFT - 8,
                    y(units) + 4,
                    units));
        }
        for (int second = 0; second <= SECONDS; second += 30) {
            axes.append(String.format(
                    Locale.ROOT,
                    "<path class=\"axis\" d=\"M%d %dv5\"/><text x=\"%d\" y=\"204\" text-anchor=\"middle\">%d s</text>\n",
                    x(second),
                    TOP + HEIGHT,
                    x(second),
                    second));
        }
        return axes.toString();
    }
}
