package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** No input of a client can end a log line, or make a terminal show another one. */
class LogsTest {
    private static final String EVIL =
            "a\n2026-01-01T00:00:00Z INFO  forged\r\u001b[2J\u202egnp\u2066\u2028\u0085\ud800";
    private static final String HARMLESS =
            "a\\u000a2026-01-01T00:00:00Z INFO  forged\\u000d\\u001b[2J\\u202egnp\\u2066\\u2028\\u0085\\ud800";

    @Test
    void text_messagesOfExceptions_areEscaped() {
        String entry = new Logs.TextLines()
                .format(event("a request failed", new IllegalStateException(EVIL, new RuntimeException(EVIL))));

        assertThat(entry.lines().filter(line -> !line.startsWith("    at ")))
                .satisfiesExactly(
                        first -> assertThat(first).endsWith(" WARN  a request failed"),
                        second -> assertThat(second).isEqualTo("  java.lang.IllegalStateException: " + HARMLESS),
                        third -> assertThat(third).isEqualTo("  java.lang.RuntimeException: " + HARMLESS));
    }

    @Test
    void text_linesOfAMessage_areIndented_andTheRestIsEscaped() {
        assertThat(new Logs.TextLines().format(event("faults:\nw.yaml:1\u001b[0m \ud83d\ude00", null)))
                .endsWith(" WARN  faults:\n  w.yaml:1\\u001b[0m \ud83d\ude00\n");
    }

    @Test
    void json_isOneLine() {
        assertThat(new Logs.JsonLines()
                        .format(event(EVIL, new IllegalStateException(EVIL)))
                        .trim())
                .doesNotContain("\n", "\r", "\u001b");
    }

    private static LogRecord event(String message, Throwable thrown) {
        LogRecord event = new LogRecord(Level.WARNING, message);
        event.setThrown(thrown);
        return event;
    }
}
