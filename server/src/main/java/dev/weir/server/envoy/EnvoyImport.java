package dev.weir.server.envoy;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.server.envoy.EnvoyLimit.DescriptorName;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes Envoy's limits as a configuration of Weir that decides the same, for descriptors that arrive over Envoy's rate
 * limit service. For one thread.
 *
 * <p>Of several descriptors with the same key Envoy uses one: that of the value, else of the first pattern that matches,
 * else of the key alone. In Weir every limit that matches applies. So such a key gets a rule of {@code classify}, which
 * derives the descriptor that Envoy would use, and the limits match the derived attribute.
 */
public final class EnvoyImport {
    private static final String ATTRIBUTE = "[A-Za-z_][A-Za-z0-9_.-]*";
    /** The class of values that have no descriptor of their own. */
    private static final String OTHER = "(other)";

    private final EnvoyConfiguration envoy;
    private final List<String> notes = new ArrayList<>();
    private final List<String> rules = new ArrayList<>();
    private final List<String> limits = new ArrayList<>();
    /** The derived attribute of each list of descriptors and key. */
    private final Map<List<Object>, String> classes = new HashMap<>();

    private EnvoyImport(EnvoyConfiguration envoy) {
        this.envoy = envoy;
    }

    /**
     * A configuration of Weir.
     *
     * @param yaml the text of the file
     * @param notes what it does not decide as Envoy's file does
     */
    public record Imported(String yaml, List<String> notes) {
        public Imported {
            notes = List.copyOf(notes);
        }
    }

    /**
     * Imports a file, or all files of a directory.
     *
     * @throws ConfigurationException with all faults of all files
     */
    public static Imported of(Path path) {
        return of(EnvoyConfigurationReader.read(new EnvoyFiles(path).read()), path.toString());
    }

    static Imported of(EnvoyConfiguration envoy, String source) {
        EnvoyImport made = new EnvoyImport(envoy);
        made.addAll();
        return new Imported(made.text(source), made.notes);
    }

    private String text(String source) {
        StringBuilder text = new StringBuilder();
        text.append("# Imported from ")
                .append(source.replaceAll("\\p{Cntrl}", "?"))
                .append(".\n");
        notes.forEach(note -> text.append("# Note: ").append(note).append('\n'));
        text.append("version: 1\n");
        if (!rules.isEmpty()) {
            text.append("\nclassify:\n");
            rules.forEach(text::append);
        }
        text.append(limits.isEmpty() ? "\nlimits: []\n" : "\nlimits:\n");
        limits.forEach(text::append);
        return text.toString();
    }

    private void addAll() {
        for (EnvoyLimit limit : envoy.limits()) {
            Unit unit = limit.unit();
            String fault = unusableKey(limit);
            if (unit == null) {
                note(limit, "is unlimited; no limit is written");
            } else if (fault != null) {
                note(limit, "is left out: " + fault);
            } else {
                add(limit, unit);
            }
        }
    }

    private void note(EnvoyLimit limit, String what) {
        notes.add(limit.limit() + " " + what);
    }

    private static @Nullable String unusableKey(EnvoyLimit limit) {
        for (DescriptorName name : limit.path()) {
            if (!name.key().matches(ATTRIBUTE)) {
                return "the key " + quoted(name.key()) + " cannot be the name of an attribute";
            }
            if (name.value().indexOf('?') >= 0) {
                return "the value " + quoted(name.value()) + " has a question mark, which is a wildcard in Weir";
            }
        }
        return null;
    }

    private void add(EnvoyLimit limit, Unit unit) {
        Map<String, String> match = new LinkedHashMap<>();
        List<String> per = new ArrayList<>();
        match.put(EnvoyAttributes.DOMAIN, quoted(limit.domain()));
        match.put(EnvoyAttributes.DESCRIPTOR, quoted(limit.keys()));
        Map<String, Integer> uses = new HashMap<>();
        DescriptorNode node = envoy.root(limit.domain());
        for (DescriptorName name : limit.path()) {
            String attribute = EnvoyAttributes.numbered(name.key(), uses);
            DescriptorNode chosen = node.child(name);
            if (node.namesOf(name.key()).size() > 1) {
                match.put(derived(node, name.key(), attribute), quoted(classOf(name, node)));
            } else if (!name.value().isEmpty()) {
                match.put(attribute, patterns(name));
            }
            if (name.value().isEmpty() || (name.isWildcard() && !chosen.sharesThreshold)) {
                per.add(attribute);
            }
            node = chosen;
        }
        noteDifferences(limit, unit);
        limits.add(limitText(limit, unit, match, per));
    }

    private void noteDifferences(EnvoyLimit limit, Unit unit) {
        if (EnvoyLimits.isNumbered(unit)) {
            note(
                    limit,
                    "has windows that begin with their first request; Envoy's are aligned to multiples of a "
                            + unit.name().toLowerCase(Locale.ROOT) + " since 1970");
        }
        if (limit.quota()) {
            note(limit, "is a quota, which Weir has not; it is written as a shadow limit");
        }
        if (!limit.replaces().isEmpty()) {
            note(limit, "replaces " + String.join(", ", limit.replaces()) + "; in Weir all of them apply");
        }
    }

    private static String limitText(EnvoyLimit limit, Unit unit, Map<String, String> match, List<String> per) {
        StringBuilder text =
                new StringBuilder("  - name: ").append(limit.limit()).append("\n    match:\n");
        match.forEach((attribute, value) -> text.append("      ")
                .append(attribute)
                .append(": ")
                .append(value)
                .append('\n'));
        text.append("    per: [").append(String.join(", ", per)).append("]\n");
        text.append("    rate: ")
                .append(EnvoyLimits.rate(limit.requestsPerUnit(), unit))
                .append('\n');
        text.append("    algorithm: fixed-window\n");
        if (!EnvoyLimits.isNumbered(unit)) {
            text.append("    calendar: UTC\n");
        }
        return text.append(limit.shadow() || limit.quota() ? "    shadow: true\n" : "")
                .toString();
    }

    /** The attribute that tells which descriptor of a list Envoy would use for a key. */
    private String derived(DescriptorNode list, String key, String attribute) {
        return classes.computeIfAbsent(List.of(list, key), absent -> {
            String derived = "envoy.class." + (classes.size() + 1);
            Map<Boolean, List<DescriptorName>> byKind = new TreeMap<>();
            byKind.put(false, new ArrayList<>());
            byKind.put(true, new ArrayList<>());
            for (DescriptorName name : list.namesOf(key)) {
                if (!name.value().isEmpty()) {
                    byKind.getOrDefault(name.isWildcard(), new ArrayList<>()).add(name);
                }
            }
            StringBuilder rule = new StringBuilder("  - set: ")
                    .append(derived)
                    .append("\n    from: ")
                    .append(attribute)
                    .append("\n    values:\n");
            byKind.values()
                    .forEach(names -> names.forEach(name -> rule.append("      ")
                            .append(quoted(classOf(name, list)))
                            .append(": ")
                            .append(patterns(name))
                            .append('\n')));
            rules.add(rule.append("    default: ")
                    .append(quoted(OTHER))
                    .append('\n')
                    .toString());
            return derived;
        });
    }

    /**
     * The class of the values for which a descriptor is used. Limits match it, so it has no wildcard. Values that begin
     * with a bracket get another one, so that none is a class of the other kinds.
     */
    private static String classOf(DescriptorName name, DescriptorNode list) {
        if (name.value().isEmpty()) {
            return OTHER;
        }
        if (name.isWildcard()) {
            List<DescriptorName> patterns = list.namesOf(name.key()).stream()
                    .filter(DescriptorName::isWildcard)
                    .toList();
            return "(pattern " + (patterns.indexOf(name) + 1) + ")";
        }
        return (name.value().startsWith("(") ? "(value)" : "") + name.value();
    }

    /**
     * A value as a list of Weir's patterns. Envoy's asterisk is any characters, Weir's double one. A pattern of Weir
     * that ends in a slash and a double asterisk matches also without them, so that end is written as two patterns.
     */
    private static String patterns(DescriptorName name) {
        String pattern = name.value().replaceAll("\\*+", "**");
        if (!pattern.endsWith("/**")) {
            return "[" + quoted(pattern) + "]";
        }
        String before = pattern.substring(0, pattern.length() - 2);
        return "[" + quoted(before + "?**") + ", " + quoted(before + "/**") + "]";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                quoted.append(String.format("\\x%02x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
