package dev.weir.spring;

import dev.weir.spi.Nearest;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds properties below {@code weir} that do not exist; a misspelled one would silently have no effect. Searches every
 * property source except environment variables, as one like {@code WEIR_HOME} may belong to another program.
 */
final class KnownProperties {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("weir");
    private static final Map<String, @Nullable Class<?>> NAMES = names(WeirProperties.class);

    private KnownProperties() {}

    /** @throws SetupException with all properties that do not exist */
    static void check(Environment environment) {
        List<String> unknown = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable
                    && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
                iterable.stream()
                        .filter(name -> ROOT.isAncestorOf(name) && !isKnown(name))
                        .flatMap(name -> found(iterable, name))
                        .forEach(unknown::add);
            }
        }
        if (!unknown.isEmpty()) {
            throw new SetupException(
                    "Weir does not know these properties:\n\n    " + String.join("\n    ", unknown),
                    "Correct them. The properties below 'weir' are " + String.join(", ", top()) + ".");
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

    private static Stream<String> found(IterableConfigurationPropertySource source, ConfigurationPropertyName name) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        return property == null ? Stream.empty() : Stream.of(name + " " + place(source, property) + suggestion(name));
    }

    private static String place(ConfigurationPropertySource source, ConfigurationProperty property) {
        TextResourceOrigin file = Origins.file(property.getOrigin());
        if (file != null) {
            return "in " + Origins.name(file) + ", line " + (file.getLocation().getLine() + 1);
        }
        if (source.getUnderlyingSource() instanceof CommandLinePropertySource<?>) {
            return "on the command line";
        }
        String from = source.getUnderlyingSource() instanceof PropertySource<?> named ? named.getName() : "properties";
        return from.equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                ? "among the system properties"
                : "in " + from;
    }

    /** Returns the most similar property for the first element that does not exist. */
    private static String suggestion(ConfigurationPropertyName name) {
        Class<?> inner = NAMES.get(name.getElement(1, Form.UNIFORM));
        String wrong = name.getElement(inner == null ? 1 : 2, Form.DASHED);
        String before = inner == null ? "weir." : "weir." + name.getElement(1, Form.DASHED) + ".";
        return Nearest.to(wrong, inner == null ? top() : dashed(names(inner).keySet()))
                .map(near -> "; did you mean " + before + near + "?")
                .orElse("");
    }

    private static Set<String> top() {
        Set<String> top = dashed(NAMES.keySet());
        top.addAll(InlineConfiguration.KEYS);
        return top;
    }

    /** Returns the components of a record, ignoring case; each with its type if that is a record, otherwise null. */
    private static Map<String, @Nullable Class<?>> names(Class<?> record) {
        Map<String, @Nullable Class<?>> names = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (RecordComponent component : record.getRecordComponents()) {
            names.put(component.getName(), component.getType().isRecord() ? component.getType() : null);
        }
        return names;
    }

    private static Set<String> dashed(Set<String> camel) {
        Set<String> dashed = new TreeSet<>();
        camel.forEach(
                name -> dashed.add(name.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT)));
        return dashed;
    }
}
