package dev.weir.spring;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.Environment;

/**
 * Finds properties below {@code weir} that nobody reads, as of a slip of the pen: a limit that silently is none would be the
 * worst of them. Only files are looked at; the environment has variables for others, too.
 */
final class KnownProperties {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("weir");
    private static final Map<String, @Nullable Class<?>> NAMES = names(WeirProperties.class);

    private KnownProperties() {}

    /** @throws SetupException if there is one that nobody knows, with all of them */
    static void check(Environment environment) {
        List<String> unknown = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(name -> ROOT.isAncestorOf(name) && !isKnown(name))
                        .flatMap(name -> fromFile(iterable, name))
                        .forEach(unknown::add);
            }
        }
        if (!unknown.isEmpty()) {
            TreeSet<String> known = new TreeSet<>(InlineConfiguration.KEYS);
            NAMES.keySet().forEach(name -> known.add(dashed(name)));
            throw new SetupException(
                    "There are properties that Weir does not know:\n\n    " + String.join("\n    ", unknown),
                    "Correct them. Below 'weir' there is " + String.join(", ", known) + ".");
        }
    }

    private static boolean isKnown(ConfigurationPropertyName name) {
        if (InlineConfiguration.KEYS.contains(name.getElement(1, Form.DASHED))) {
            return true;
        }
        String first = name.getElement(1, Form.UNIFORM);
        Class<?> inner = NAMES.get(first);
        return (inner == null || name.getNumberOfElements() == 2)
                ? NAMES.containsKey(first)
                : names(inner).containsKey(name.getElement(2, Form.UNIFORM));
    }

    private static Stream<String> fromFile(IterableConfigurationPropertySource source, ConfigurationPropertyName name) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        TextResourceOrigin origin = property == null ? null : Origins.file(property.getOrigin());
        return origin == null
                ? Stream.empty()
                : Stream.of(name + " in " + Origins.name(origin) + ", line "
                        + (origin.getLocation().getLine() + 1));
    }

    /** The components of a record without regard to case, with the record that each is, or null. */
    private static Map<String, @Nullable Class<?>> names(Class<?> record) {
        Map<String, @Nullable Class<?>> names = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (RecordComponent component : record.getRecordComponents()) {
            names.put(component.getName(), component.getType().isRecord() ? component.getType() : null);
        }
        return names;
    }

    private static String dashed(String camel) {
        return camel.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
