package dev.weir.server;

import dev.weir.engine.http.Json;
import java.time.Instant;
import java.util.Locale;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** How log lines look on standard error: for people, or one JSON object a line. */
public final class Logs {
    private Logs() {}

    /** The kinds of lines. */
    public enum Format {
        TEXT,
        JSON
    }

    /** Makes the whole process log so. */
    public static void use(Format format) {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        ConsoleHandler console = new ConsoleHandler();
        console.setFormatter(format == Format.JSON ? new JsonLines() : new TextLines());
        console.setLevel(Level.ALL);
        root.addHandler(console);
        root.setLevel(Level.INFO);
    }

    /** {@code 2026-01-01T00:00:00.000Z INFO  message}. Control characters are escaped, so that one event is one entry. */
    static final class TextLines extends Formatter {
        @Override
        public String format(LogRecord event) {
            StringBuilder line = new StringBuilder()
                    .append(Instant.ofEpochMilli(event.getMillis()))
                    .append(' ')
                    .append(String.format(Locale.ROOT, "%-5s", level(event)))
                    .append(' ')
                    .append(plain(formatMessage(event)));
            Throwable thrown = event.getThrown();
            if (thrown != null) {
                line.append('\n').append(stack(thrown));
            }
            return line.append('\n').toString();
        }

        /** Lines of several lines are indented. */
        private static String plain(String message) {
            StringBuilder text = new StringBuilder(message.length());
            message.chars().forEach(c -> {
                if (c == '\n') {
                    text.append("\n  ");
                } else if (Character.isISOControl(c)) {
                    text.append(String.format(Locale.ROOT, "\\u%04x", c));
                } else {
                    text.append((char) c);
                }
            });
            return text.toString();
        }
    }

    /** {@code {"time":"…","level":"info","logger":"…","message":"…"}}. */
    static final class JsonLines extends Formatter {
        @Override
        public String format(LogRecord event) {
            Json json = Json.object(256)
                    .field("time", Instant.ofEpochMilli(event.getMillis()).toString())
                    .field("level", level(event).toLowerCase(Locale.ROOT))
                    .field("logger", event.getLoggerName())
                    .field("message", formatMessage(event));
            Throwable thrown = event.getThrown();
            if (thrown != null) {
                json.field("error", stack(thrown));
            }
            return json.close('}') + "\n";
        }
    }

    private static String level(LogRecord event) {
        int level = event.getLevel().intValue();
        if (level >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        return level >= Level.WARNING.intValue() ? "WARN" : level >= Level.INFO.intValue() ? "INFO" : "DEBUG";
    }

    private static String stack(Throwable thrown) {
        StringBuilder text = new StringBuilder("  ").append(thrown);
        for (StackTraceElement element : thrown.getStackTrace()) {
            text.append("\n    at ").append(element);
        }
        Throwable cause = thrown.getCause();
        return cause == null || cause == thrown ? text.toString() : text + "\n" + stack(cause);
    }
}
