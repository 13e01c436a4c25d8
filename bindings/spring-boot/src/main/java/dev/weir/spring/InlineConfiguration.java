package dev.weir.spring;

import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Presets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * The part of a configuration that is written among the application's own properties: the same keys, below {@code
 * weir}. It is assembled and read like a file, so that there is one syntax. Faults are reported with their location in
 * the application's file.
 *
 * <p>A top-level key, such as {@code limits}, comes completely from the property source with the highest precedence
 * that has it. Merging a list from two sources would be intended by neither.
 */
final class InlineConfiguration {
    /** The keys of a configuration file, except those of {@link WeirProperties}. */
    static final Set<String> KEYS = Set.of(
            "version",
            "on-store-failure",
            "trusted-proxies",
            "forward-auth",
            "ipv6-prefix",
            "paths",
            "defaults",
            "classify",
            "limits",
            "penalty",
            "exempt",
            "alerts",
            "holds");

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("weir");

    private final Map<String, Object> tree = new TreeMap<>();

    InlineConfiguration(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                addFrom(iterable, environment);
            }
        }
    }

    /** The keys that are present. */
    Set<String> keys() {
        return tree.keySet();
    }

    boolean hasLimits() {
        return tree.containsKey("limits");
    }

    /** Reads the configuration, alone or with its keys replacing those of a preset. */
    Result read(ConfigurationReader reader, @Nullable String preset) {
        Map<String, Object> whole = new LinkedHashMap<>();
        if (preset != null) {
            Object text = new Load(LoadSettings.builder().build()).loadFromString(Presets.text(preset));
            ((Map<?, ?>) text).forEach((key, value) -> whole.put(String.valueOf(key), value));
        }
        whole.putIfAbsent("version", 1);
        whole.putAll(tree);
        return new LocatedYaml(whole, preset == null ? "application" : "presets/" + preset + ".yaml").read(reader);
    }

    private void addFrom(IterableConfigurationPropertySource source, Environment environment) {
        Map<String, Object> own = new LinkedHashMap<>();
        for (ConfigurationPropertyName name : source) {
            if (!ROOT.isAncestorOf(name)) {
                continue;
            }
            String key = name.getElement(1, Form.DASHED);
            ConfigurationProperty property = KEYS.contains(key) ? source.getConfigurationProperty(name) : null;
            if (property != null) {
                put(own, name, 1, leaf(property, environment));
            }
        }
        own.forEach(tree::putIfAbsent);
    }

    private static LocatedYaml.Leaf leaf(ConfigurationProperty property, Environment environment) {
        Object value = property.getValue();
        return new LocatedYaml.Leaf(
                property.getName().toString(),
                value instanceof CharSequence text ? environment.resolvePlaceholders(text.toString()) : value,
                property.getOrigin());
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> into, ConfigurationPropertyName name, int at, LocatedYaml.Leaf leaf) {
        // A top-level key may use any spelling that Spring allows. Below it, names are attributes and limits, and stay
        // as they are.
        String key = name.getElement(at, at == 1 ? Form.DASHED : Form.ORIGINAL);
        if (at == name.getNumberOfElements() - 1) {
            into.put(key, leaf);
            return;
        }
        Object inner = into.computeIfAbsent(
                key, absent -> name.isNumericIndex(at + 1) ? new LocatedYaml.Items() : new LinkedHashMap<>());
        if (inner instanceof Map<?, ?> map) {
            put((Map<String, Object>) map, name, at + 1, leaf);
        }
    }
}
