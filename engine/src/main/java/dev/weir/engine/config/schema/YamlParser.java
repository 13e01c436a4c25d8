package dev.weir.engine.config.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Parses a text as one YAML document.
 *
 * <p>It uses the library's events, not its tree. So constructs that a configuration does not need are refused at their
 * location, before anything is built from them: aliases (and with them alias bombs), anchors, tags, deep nesting, a
 * second document. The caller must bound the length of the text.
 */
public final class YamlParser {
    /** The deepest nesting; a configuration needs five levels. */
    private static final int DEEPEST = 20;

    private final Placeholders placeholders;
    private final Faults faults;
    private final String least;

    /**
     * A parser for one document; {@code least} describes the smallest document, for the message about an empty file.
     */
    public YamlParser(Placeholders placeholders, Faults faults, String least) {
        this.placeholders = placeholders;
        this.faults = faults;
        this.least = least;
    }

    /** Parses the document; null if the text is invalid, which is then among the faults. */
    @Nullable
    public Yaml parse(String text) {
        if (hasUnprintable(text)) {
            return null;
        }
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(Integer.MAX_VALUE).build();
        SourceLocation last = SourceLocation.START;
        try {
            // Not the library's `lowlevel` package, which is not exported on the module path.
            return document(new ParserImpl(settings, new StreamReader(settings, text)));
        } catch (TooDeep e) {
            faults.add(
                    e.location,
                    "lists and mappings are nested more than " + DEEPEST + " deep; a configuration needs 5");
        } catch (MarkedYamlEngineException e) {
            YamlFaultText.Explained explained = new YamlFaultText(text).explain(e);
            faults.add(explained.location(), explained.message());
        } catch (YamlEngineException e) {
            faults.add(last, "this is not YAML: " + oneLine(String.valueOf(e.getMessage())));
        }
        return null;
    }

    private boolean hasUnprintable(String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int c = text.codePointAt(i);
            if (!StreamReader.isPrintable(c) || c == '\uFEFF') {
                faults.add(
                        SourceLocation.after(text.substring(0, i)),
                        String.format("the character U+%04X may not be in YAML; is this a text file?", c));
                return true;
            }
        }
        return false;
    }

    private @Nullable Yaml document(Iterator<Event> events) {
        Yaml document = null;
        boolean started = false;
        while (events.hasNext()) {
            Event event = events.next();
            if (event.getEventId() == Event.ID.DocumentStart) {
                if (started) {
                    faults.add(location(event), "a second document begins here; a configuration is one document");
                    return null;
                }
                started = true;
                document = node(events.next(), events, 1);
            }
        }
        if (document == null) {
            faults.add(SourceLocation.START, "the file is empty; " + least);
        }
        return document;
    }

    private Yaml node(Event event, Iterator<Event> events, int depth) {
        SourceLocation location = location(event);
        if (depth > DEEPEST) {
            throw new TooDeep(location);
        }
        if (event instanceof AliasEvent) {
            faults.add(location, "an alias (*name) may not be in a configuration; write the value out");
            return new Yaml.Broken(location);
        }
        Optional<String> tag = Optional.empty();
        Yaml node;
        if (event instanceof ScalarEvent scalar) {
            tag = scalar.getTag();
            node = scalar(location, scalar);
        } else {
            tag = ((CollectionStartEvent) event).getTag();
            node = event.getEventId() == Event.ID.SequenceStart
                    ? items(location, events, depth)
                    : entries(location, events, depth);
        }
        if (((NodeEvent) event).getAnchor().isPresent()) {
            faults.add(
                    location,
                    "an anchor (&name) may not be in a configuration; remove it, and write the value out"
                            + " wherever it is needed");
        }
        if (tag.isPresent()) {
            faults.add(
                    location,
                    "a tag (!name) may not be in a configuration; remove it, and quote the value if it is a" + " text");
        }
        return node;
    }

    private Yaml scalar(SourceLocation location, ScalarEvent scalar) {
        Placeholders.Replaced replaced = placeholders.replace(scalar.getValue(), location, faults);
        return replaced == null
                ? new Yaml.Broken(location)
                : new Yaml.Scalar(location, replaced.text(), scalar.isPlain() || replaced.any(), replaced.any());
    }

    private Yaml items(SourceLocation location, Iterator<Event> events, int depth) {
        List<Yaml> items = new ArrayList<>();
        for (Event next = events.next(); next.getEventId() != Event.ID.SequenceEnd; next = events.next()) {
            items.add(node(next, events, depth + 1));
        }
        return new Yaml.Items(location, items);
    }

    private Yaml entries(SourceLocation location, Iterator<Event> events, int depth) {
        List<Yaml.Entry> entries = new ArrayList<>();
        Map<String, SourceLocation> seen = new HashMap<>();
        for (Event next = events.next(); next.getEventId() != Event.ID.MappingEnd; next = events.next()) {
            SourceLocation at = location(next);
            String key = key(next, events, depth);
            Yaml value = node(events.next(), events, depth + 1);
            SourceLocation before = key == null ? null : seen.putIfAbsent(key, at);
            if (before != null) {
                faults.add(
                        at,
                        Faults.quote(String.valueOf(key)) + " is given twice, first on line " + before.line()
                                + "; remove one of them");
            } else if (key != null) {
                entries.add(new Yaml.Entry(at, key, value));
            }
        }
        return new Yaml.Entries(location, entries);
    }

    private @Nullable String key(Event event, Iterator<Event> events, int depth) {
        if (!(event instanceof ScalarEvent scalar)
                || scalar.getTag().isPresent()
                || scalar.getAnchor().isPresent()) {
            Yaml node = node(event, events, depth + 1);
            if (node instanceof Yaml.Items || node instanceof Yaml.Entries) {
                faults.add(location(event), "a list or mapping cannot be a key; quote it if it is meant as a text");
            }
            return null;
        }
        String key = scalar.getValue();
        if (key.contains("${")) {
            faults.add(location(event), "the key " + Faults.quote(key) + " holds a placeholder; only values may");
            return null;
        }
        if (key.equals("<<")) {
            faults.add(location(event), "a merge key (<<) may not be in a configuration; write the keys out");
            return null;
        }
        return key;
    }

    private static SourceLocation location(Event event) {
        return event.getStartMark().map(YamlParser::location).orElse(SourceLocation.START);
    }

    private static SourceLocation location(Mark mark) {
        return new SourceLocation(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private static String oneLine(String message) {
        String line = message.lines().findFirst().orElse("it cannot be understood");
        return Faults.oneLine(line, 200);
    }

    /** Thrown when the nesting is too deep. */
    private static final class TooDeep extends RuntimeException {
        final transient SourceLocation location;

        TooDeep(SourceLocation location) {
            super(null, null, false, false);
            this.location = location;
        }
    }
}
