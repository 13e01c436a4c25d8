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
 * The part of a configuration that is written among the application's own properties: the same keys, below {@code weir}.
 * It is put back together and read like any file, so that there is one language; what is wrong with it is told with the
 * place in the application's file.
 *
 * <p>A key at the top, such as {@code limits}, comes whole from the property source that has it and is asked first: half a
 * list from here and half from there would be nobody's intention.
 */
final class InlineConfiguration {
    /** The keys of a configuration file, apart from those that {@link WeirProperties} has. */
    static final Set<String> KEYS = Set.of(
            "version",
            "on-store-failure",
            "trusted-proxies",
            "ipv6-prefix",
            "paths",
            "defaults",
            "classify",
            "limits",
            "penalty",
            "exempt",
            "alerts");

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("weir");

    private final Map<String, Object> tree = new TreeMap<>();

    InlineConfiguration(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                addFrom(iterable, environment);
            }
        }
    }

    /** The keys that are there. */
    Set<String> keys() {
        return tree.keySet();
    }

    boolean hasLimits() {
        return tree.containsKey("limits");
    }

    /** Reads it: alone, or in place of what a preset says. */
    Result read(ConfigurationReader reader, @Nullable String preset) {
        Map<String, Object> whole = new LinkedHashMap<>();
        if (preset != null) {
            Object text = new Load(LoadSettings.builder().build()).loadFromString(Presets.text(preset));
            ((Map<?, ?>) text).forEach((key, value) -> whole.put(String.valueOf(key), value));
        }
        whole.putIfAbsent("version", 1);
        whole.putAll(tree);
        return new PlacedText(whole, preset == null ? "application" : "presets/" + preset + ".yaml").read(reader);
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

    private static PlacedText.Leaf leaf(ConfigurationProperty property, Environment environment) {
        Object value = property.getValue();
        return new PlacedText.Leaf(
                property.getName().toString(),
                value instanceof CharSequence text ? environment.resolvePlaceholders(text.toString()) : value,
                property.getOrigin());
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> into, ConfigurationPropertyName name, int at, PlacedText.Leaf leaf) {
        // At the top a key may be spelled as Spring allows; below it, names are attributes and limits, and stay as they
        // are.
        String key = name.getElement(at, at == 1 ? Form.DASHED : Form.ORIGINAL);
        if (at == name.getNumberOfElements() - 1) {
            into.put(key, leaf);
            return;
        }
        Object inner = into.computeIfAbsent(
                key, absent -> name.isNumericIndex(at + 1) ? new PlacedText.Items() : new LinkedHashMap<>());
        if (inner instanceof Map<?, ?> map) {
            put((Map<String, Object>) map, name, at + 1, leaf);
        }
    }
}
