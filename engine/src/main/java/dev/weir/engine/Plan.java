package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.address.TrustedProxies;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.settings.SettingsSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A configuration and the settings of the day, made ready to decide. Immutable; compiled once, used by all threads. */
final class Plan {
    final Configuration configuration;
    final SkipWatches skips;
    private final SeenKeys seen;
    private final ClientAddress addresses;
    private final String[] names;
    private final @Nullable String[] defaults;
    private final List<Classifier> classifiers;
    private final PreparedLimit[] limits;
    private final Exemption[] exemptions;
    private final int[] penaltyAttributes;
    private final int ip;
    private final int path;
    /** By what is known later; a binding has one such set, or two. */
    private final Map<Set<String>, EarlyLimits> early = new ConcurrentHashMap<>();

    private Plan(
            Configuration configuration,
            SettingsSnapshot settings,
            Counts counts,
            Unclassed unclassed,
            SkipWatches skips,
            SeenKeys seen) {
        AttributeIndex index = new AttributeIndex();
        this.configuration = configuration;
        this.skips = skips;
        this.seen = seen;
        this.addresses = ClientAddress.behind(
                TrustedProxies.of(configuration.trustedProxies()),
                configuration.ipv6Prefix(),
                configuration.forwardAuth().clientAddress());
        this.ip = index.of("ip");
        this.path = index.of("path");
        this.classifiers = configuration.classify().stream()
                .map(rule -> new Classifier(rule, index, unclassed))
                .toList();
        this.limits = configuration.limits().stream()
                .map(rule -> new PreparedLimit(
                        rule, index, settings, addresses::identity, counts.of(rule.name()), skips.of(rule), seen))
                .toArray(PreparedLimit[]::new);
        this.exemptions = exemptions(settings, index);
        this.penaltyAttributes = configuration.penalty() == null
                ? new int[0]
                : configuration.penalty().per().stream().mapToInt(index::of).toArray();
        this.names = index.names();
        this.defaults = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            String value = configuration.defaults().get(names[i]);
            defaults[i] = value == null || value.isEmpty() ? null : value;
        }
    }

    static Plan compile(
            Configuration configuration,
            SettingsSnapshot settings,
            Counts counts,
            Unclassed unclassed,
            SkipWatches skips,
            SeenKeys seen) {
        return new Plan(configuration, settings, counts, unclassed, skips, seen);
    }

    private record Exemption(int attribute, Set<String> values) {}

    /** Who a client is behind the proxies that the configuration trusts. */
    ClientAddress addresses() {
        return addresses;
    }

    /** The limits that can be decided while attributes of these names are not known yet. */
    EarlyLimits earlyLimits(Set<String> later) {
        Objects.requireNonNull(later, "later is null; it may be empty");
        return early.computeIfAbsent(later, names -> EarlyLimits.of(configuration, limits, this.names, names));
    }

    /** What the limits ask of a request: those for leases, or the others. Nothing if it is switched off or exempt. */
    @Nullable
    Inquiry inquire(Request request, boolean forLeases) {
        return inquire(request, forLeases, null, null);
    }

    /**
     * What the limits of these names ask of a request, and no other; whoever names one says that it applies.
     *
     * @throws IllegalArgumentException if one is no limit, or cannot be asked of this request
     */
    @Nullable
    Inquiry inquireOnly(Request request, Set<String> named) {
        Objects.requireNonNull(named, "limits is null; it must name at least one limit");
        checkNames("this check", named);
        return inquire(request, false, null, named);
    }

    /** What those limits ask that can be decided early, as if nothing were known of what is known later. */
    @Nullable
    Inquiry inquireEarly(Request request, EarlyLimits only) {
        return inquire(request, false, only, null);
    }

    private @Nullable Inquiry inquire(
            Request request, boolean forLeases, @Nullable EarlyLimits only, @Nullable Set<String> named) {
        Objects.requireNonNull(request, "request is null");
        if (!request.costs().isEmpty()) {
            checkNames("costs", request.costs().keySet());
        }
        if (!configuration.enabled()) {
            return null;
        }
        @Nullable String[] values = values(request, false, only);
        if (isExempt(values)) {
            return null;
        }
        List<Demand> demands = new ArrayList<>(limits.length);
        List<Charge> charges = new ArrayList<>(limits.length);
        List<Demand> shadows = List.of();
        List<List<Charge>> shadowCharges = List.of();
        List<MissingKey> missing = List.of();
        for (PreparedLimit limit : limits) {
            boolean isAsked = named == null
                    ? limit.isForLeases == forLeases && (only == null || only.contains(limit)) && limit.matches(values)
                    : named.contains(limit.rule.name());
            if (!isAsked) {
                continue;
            }
            List<Charge> own = limit.rule.shadow() ? new ArrayList<>(1) : charges;
            Demand demand = named == null ? limit.demand(values, request, own) : limit.named(values, request, own);
            if (demand == null) {
                if (limit.deniesMissing(values)) {
                    missing = missing.isEmpty() ? new ArrayList<>() : missing;
                    missing.add(limit.missingKey(values, request));
                } else if (only == null) {
                    limit.skip(values, request);
                }
                continue;
            }
            limit.skips.applied();
            if (limit.rule.shadow()) {
                shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
                shadowCharges = shadowCharges.isEmpty() ? new ArrayList<>() : shadowCharges;
                shadows.add(demand);
                shadowCharges.add(own);
            } else {
                demands.add(demand);
            }
        }
        return demands.isEmpty() && shadows.isEmpty() && missing.isEmpty()
                ? null
                : new Inquiry(
                        this,
                        request,
                        values,
                        demands,
                        fixed(charges),
                        shadows,
                        shadowCharges,
                        missing,
                        offender(values));
    }

    /**
     * What every limit that knows this caller has to say to it, whatever it might do next: conditions on attributes that
     * are not given count as held, and given attributes are taken as they are, derived ones too.
     */
    Inquiry survey(Map<String, String> attributes) {
        Request request = Request.of(attributes);
        @Nullable String[] values = values(request, true, null);
        List<Demand> demands = new ArrayList<>();
        List<Charge> charges = new ArrayList<>();
        for (PreparedLimit limit : limits) {
            Demand demand = limit.possibleDemand(values, charges);
            if (demand != null) {
                demands.add(demand);
            }
        }
        return new Inquiry(
                this, request, values, demands, fixed(charges), List.of(), List.of(), List.of(), offender(values));
    }

    /** The budgets of the subject that has all these attributes. */
    SubjectBudgets budgetsOf(Map<String, String> attributes) {
        return new SubjectBudgets(configuration, limits, names, seen, given(attributes)).find();
    }

    /** Whom a penalty would strike that has all these attributes; null if they do not say. */
    @Nullable
    List<String> offender(Map<String, String> attributes) {
        return offender(given(attributes));
    }

    /** What is given, and what is derived from that; no defaults. */
    private @Nullable String[] given(Map<String, String> attributes) {
        @Nullable String[] values = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            values[i] = attributes.get(names[i]);
        }
        normalize(values);
        for (Classifier classifier : classifiers) {
            if (values[classifier.source] != null && !attributes.containsKey(classifier.rule.set())) {
                values[classifier.target] = classifier.derive(values);
            }
        }
        return values;
    }

    private void normalize(@Nullable String[] values) {
        if (values[ip] != null) {
            values[ip] = addresses.identity(values[ip]);
        }
        if (values[path] != null) {
            values[path] = RequestPath.normalize(values[path]);
        }
    }

    boolean isExempt(@Nullable String[] values) {
        for (Exemption exemption : exemptions) {
            String value = values[exemption.attribute];
            if (value != null && exemption.values.contains(value)) {
                return true;
            }
        }
        return false;
    }

    /** What was derived, for those who report it. */
    Map<String, String> derived(@Nullable String[] values) {
        Map<String, String> derived = new LinkedHashMap<>();
        for (Classifier classifier : classifiers) {
            String value = values[classifier.target];
            if (value != null) {
                derived.put(classifier.rule.set(), value);
            }
        }
        return derived;
    }

    /** Calls back with each attribute that has a value. */
    void forEach(@Nullable String[] values, BiConsumer<String, String> action) {
        for (int i = 0; i < names.length; i++) {
            String value = values[i];
            if (value != null) {
                action.accept(names[i], value);
            }
        }
    }

    /** The values of all attributes that matter, derived ones included. */
    private @Nullable String[] values(Request request, boolean keepsGiven, @Nullable EarlyLimits only) {
        @Nullable String[] values = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            if (only != null && only.isLater(i)) {
                continue;
            }
            String given = request.attributes().get(names[i]);
            values[i] = given != null ? given : defaults[i];
        }
        normalize(values);
        for (int i = 0; i < classifiers.size(); i++) {
            Classifier classifier = classifiers.get(i);
            if (keepsGiven && request.attributes().containsKey(classifier.rule.set())) {
                continue;
            }
            String derived = classifier.derive(values);
            if (derived != null) {
                values[classifier.target] = derived;
            }
        }
        return values;
    }

    /** Whom a penalty would strike; null if there is none, or the request lacks one of its attributes. */
    private @Nullable List<String> offender(@Nullable String[] values) {
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

    private void checkNames(String where, Set<String> limitNames) {
        for (String name : limitNames) {
            if (configuration.limit(name) == null) {
                throw new IllegalArgumentException(where + " names '" + Texts.shown(name, 64)
                        + "', which is no limit; there is "
                        + Stream.of(limits).map(limit -> limit.rule.name()).collect(Collectors.joining(", ")));
            }
        }
    }

    private static List<Charge> fixed(List<Charge> charges) {
        // Of one or two without an array; the store copies nothing that cannot change.
        return switch (charges.size()) {
            case 1 -> List.of(charges.get(0));
            case 2 -> List.of(charges.get(0), charges.get(1));
            default -> List.copyOf(charges);
        };
    }

    /** Those of the file, and more by settings. Addresses count however they are spelled; unknown clients never. */
    private Exemption[] exemptions(SettingsSnapshot settings, AttributeIndex index) {
        Stream<String> attributes =
                Stream.concat(configuration.exempt().keySet().stream(), settings.exempt().keySet().stream());
        return attributes
                .distinct()
                .map(attribute -> new Exemption(
                        index.of(attribute),
                        Stream.of(configuration.exempt(), settings.exempt())
                                .flatMap(exempt -> exempt.getOrDefault(attribute, Set.of()).stream())
                                .map(value -> attribute.equals("ip") ? addresses.identity(value) : value)
                                .filter(value -> !attribute.equals("ip") || !value.equals(ClientAddress.UNKNOWN))
                                .collect(Collectors.toUnmodifiableSet())))
                .toArray(Exemption[]::new);
    }
}
