package dev.weir.server;

import dev.weir.engine.json.Json;
import dev.weir.server.http.FatalErrors;
import java.time.Instant;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Format of log lines on standard error: plain text, or one JSON object per line. */
public final class Logs {
    private Logs() {}

    /** The formats. */
    public enum Format {
        TEXT,
        JSON
    }

    /** Configures logging of the process: everything from level INFO on. */
    public static void use(Format format) {
        use(format, System.Logger.Level.INFO);
    }

    /** Configures logging of the process. A fatal error ends the process, whichever code logs or throws it. */
    public static void use(Format format, System.Logger.Level level) {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        ConsoleHandler console = new ConsoleHandler() {
            @Override
            public synchronized void publish(LogRecord event) {
                super.publish(event);
                FatalErrors.check(event.getThrown());
            }
        };
        console.setFormatter(format == Format.JSON ? new JsonLines() : new TextLines());
        console.setLevel(Level.ALL);
        root.addHandler(console);
        root.setLevel(
                switch (level) {
                    case OFF -> Level.OFF;
                    case ERROR -> Level.SEVERE;
                    case WARNING -> Level.WARNING;
                    case INFO -> Level.INFO;
                    case DEBUG -> Level.FINE;
                    case TRACE, ALL -> Level.ALL;
                });
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> FatalErrors.report(error));
    }

    /**
     * {@code 2026-01-01T00:00:00.000Z INFO message}. Characters that could end a line, move a terminal's cursor or
     * reverse the direction of text are escaped, so one event is one entry. Only line breaks of Weir's own messages are
     * kept, indented.
     */
    static final class TextLines extends Formatter {
        @Override
        public String format(LogRecord event) {
            StringBuilder line = new StringBuilder()
                    .append(Instant.ofEpochMilli(event.getMillis()))
                    .append(' ')
                    .append(String.format(Locale.ROOT, "%-5s", level(event)))
                    .append(' ')
                    .append(String.join(
                            "\n  ",
                            formatMessage(event).lines().map(Logs::printable).toList()));
            Throwable thrown = event.getThrown();
            if (thrown != null) {
                line.append('\n').append(stack(thrown, Logs::printable));
            }
            return line.append('\n').toString();
        }
    }

    /** {@code {"time":"…","level":"info","logger":"…","message":"…"}}. */
    static final class JsonLines extends Formatter {
        @Override
        public String format(LogRecord event) {
            Json json = Json.newObject(256)
                    .field("time", Instant.ofEpochMilli(event.getMillis()).toString())
                    .field("level", level(event).toLowerCase(Locale.ROOT))
                    .field("logger", event.getLoggerName())
                    .field("message", formatMessage(event));
            Throwable thrown = event.getThrown();
            if (thrown != null) {
                json.field("error", stack(thrown, text -> text));
            }
            return json.close('}') + "\n";
        }
    }

    /**
     * Returns the text with control characters, unpaired surrogates and similar escaped: safe for a log and a terminal.
     */
    public static String printable(String message) {
        StringBuilder text = new StringBuilder(message.length());
        message.codePoints().forEach(c -> {
            if (isOdd(c)) {
                text.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                text.appendCodePoint(c);
            }
        });
        return text.toString();
    }

    private static boolean isOdd(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }

    private static String level(LogRecord event) {
        int level = event.getLevel().intValue();
        if (level >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        return level >= Level.WARNING.intValue() ? "WARN" : level >= Level.INFO.intValue() ? "INFO" : "DEBUG";
    }

    /** Escapes the exception's message first, because it may contain text of a client. */
    private static String stack(Throwable thrown, UnaryOperator<String> fit) {
        StringBuilder text = new StringBuilder("  ").append(fit.apply(thrown.toString()));
        for (StackTraceElement element : thrown.getStackTrace()) {
            text.append("\n    at ").append(element);
        }
        Throwable cause = thrown.getCause();
        return cause == null || cause == thrown ? text.toString() : text + "\n" + stack(cause, fit);
    }
}
