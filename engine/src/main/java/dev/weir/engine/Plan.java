package dev.weir.engine;

import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.address.ProxyHeader;
import dev.weir.engine.address.TrustedProxies;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.settings.SettingsSnapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A configuration and the settings of the day, made ready to decide. Immutable; compiled once, used by all threads. */
final class Plan {
    final Configuration configuration;
    private final ClientAddress addresses;
    private final String[] names;
    private final @Nullable String[] defaults;
    private final List<Classifier> classifiers;
    private final List<PreparedLimit> limits;
    private final List<Exemption> exemptions;
    private final int[] penaltyAttributes;
    private final int ip;
    private final int path;

    private Plan(Configuration configuration, SettingsSnapshot settings) {
        AttributeIndex index = new AttributeIndex();
        this.configuration = configuration;
        this.addresses = ClientAddress.behind(
                TrustedProxies.of(configuration.trustedProxies()), configuration.ipv6Prefix(), ProxyHeader.EITHER);
        this.ip = index.of("ip");
        this.path = index.of("path");
        this.classifiers = configuration.classify().stream()
                .map(rule -> new Classifier(rule, index))
                .toList();
        Overrides overrides = new Overrides(settings, index);
        this.limits = configuration.limits().stream()
                .map(rule -> new PreparedLimit(rule, index, overrides))
                .toList();
        this.exemptions = exemptions(configuration, settings, index);
        this.penaltyAttributes = configuration.penalty() == null
                ? new int[0]
                : configuration.penalty().per().stream().mapToInt(index::of).toArray();
        this.names = index.names();
        this.defaults = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            defaults[i] = configuration.defaults().get(names[i]);
        }
    }

    static Plan compile(Configuration configuration, SettingsSnapshot settings) {
        return new Plan(configuration, settings);
    }

    private record Exemption(int attribute, Set<String> values) {}

    /** The values of all attributes that matter, derived ones included. */
    @Nullable
    String[] values(Request request) {
        @Nullable String[] values = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            String given = request.attributes().get(names[i]);
            values[i] = given != null ? given : defaults[i];
        }
        if (values[ip] != null) {
            values[ip] = addresses.identity(values[ip]);
        }
        if (values[path] != null) {
            values[path] = RequestPath.normalize(values[path]);
        }
        for (int i = 0; i < classifiers.size(); i++) {
            Classifier classifier = classifiers.get(i);
            String derived = classifier.derive(values);
            if (derived != null) {
                values[classifier.target()] = derived;
            }
        }
        return values;
    }

    /** What was derived, for those who report it. */
    Map<String, String> derived(@Nullable String[] values) {
        Map<String, String> derived = new LinkedHashMap<>();
        for (Classifier classifier : classifiers) {
            String value = values[classifier.target()];
            if (value != null) {
                derived.put(classifier.derives, value);
            }
        }
        return derived;
    }

    boolean isExempt(@Nullable String[] values) {
        for (int i = 0; i < exemptions.size(); i++) {
            String value = values[exemptions.get(i).attribute];
            if (value != null && exemptions.get(i).values.contains(value)) {
                return true;
            }
        }
        return false;
    }

    /** What the limits ask of a request, outermost first: those for leases, or the others. */
    List<Demand> demands(@Nullable String[] values, Request request, boolean forLeases) {
        List<Demand> demands = new ArrayList<>(4);
        for (int i = 0; i < limits.size(); i++) {
            PreparedLimit limit = limits.get(i);
            Demand demand = limit.isForLeases == forLeases ? limit.demand(values, request) : null;
            if (demand != null) {
                demands.add(demand);
            }
        }
        return demands;
    }

    /** Whom a penalty would strike; null if there is none, or the request lacks one of its attributes. */
    @Nullable
    List<String> offender(@Nullable String[] values) {
        if (penaltyAttributes.length == 0) {
            return null;
        }
        List<String> offender = new ArrayList<>(penaltyAttributes.length);
        for (int attribute : penaltyAttributes) {
            String value = values[attribute];
            if (value == null) {
                return null;
            }
            offender.add(value);
        }
        return offender;
    }

    private static List<Exemption> exemptions(
            Configuration configuration, SettingsSnapshot settings, AttributeIndex index) {
        Map<String, Set<String>> all = new LinkedHashMap<>();
        configuration.exempt().forEach((attribute, values) -> all.put(attribute, new HashSet<>(values)));
        settings.exempt()
                .forEach((attribute, values) -> all.computeIfAbsent(attribute, absent -> new HashSet<>())
                        .addAll(values));
        return all.entrySet().stream()
                .map(entry -> new Exemption(index.of(entry.getKey()), Set.copyOf(entry.getValue())))
                .toList();
    }
}
