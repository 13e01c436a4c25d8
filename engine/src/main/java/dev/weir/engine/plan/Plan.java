package dev.weir.engine.plan;

import dev.weir.ArgumentException;
import dev.weir.engine.Counts;
import dev.weir.engine.Explanation;
import dev.weir.engine.Request;
import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.address.TrustedProxies;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.path.ClientText;
import dev.weir.engine.path.PathNormalizer;
import dev.weir.spi.settings.SettingsSnapshot;
import java.util.ArrayList;
import java.util.Collections;
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

/** A configuration and the current runtime settings, compiled for decisions. Immutable. */
public final class Plan {
    /*
     * What is compiled, and why decisions on it need no lock.
     *
     * A plan is made once for each configuration and each version of the runtime settings (Weir.state), and replaced by
     * one volatile write. A request reads that field once and uses the same plan to its end. So a decision never sees
     * half of a reload. State that must survive is passed in and shared by successive plans: counts and seen keys
     * survive every change, the watches for skipped limits survive changes of settings.
     *
     * Attributes are numbered: every attribute that a limit, a class, an exemption or the penalty refers to has an
     * index in `names`. A request becomes an array of values by these indexes, so each attribute is looked up once,
     * however many limits use it. The path has two indexes: `path` is the bounded text that keys contain, `pathText` is
     * the full text that patterns are compared to.
     *
     * The array is filled in this order, and each step sees the results of the steps before it:
     *
     * 1. the attributes of the request, else the configured defaults;
     * 2. the client address and the path in their normal form;
     * 3. the classes, in the order of the file, each deriving one attribute.
     *
     * An ambiguous path has several interpretations, and each interpretation has its own array. A limit applies if it
     * matches at least one interpretation. A request is exempt only if all of its interpretations are exempt. Thus no
     * spelling of a path evades a limit or gains an exemption. Nearly all paths are plain, and a plain path costs one
     * array.
     *
     * A prepared request is what the limits charge for one request, in the order of the file: outermost limit first.
     * The store decides the charges of all enforced limits in one atomic call. Everything here is final and filled
     * before the plan is published. The one exception is `early`, a concurrent cache whose entries depend only on the
     * plan.
     */
    public final Configuration configuration;
    public final Map<String, SkippedLimitWatch> skips;
    private final SeenKeys seen;
    private final ClientAddress addresses;
    private final PathNormalizer paths;
    private final String[] names;
    private final @Nullable String[] defaults;
    private final List<Classifier> classifiers;
    private final PreparedLimit[] limits;
    private final Map<String, PreparedLimit> byName;
    private final Exemption[] exemptions;
    private final int[] penaltyAttributes;
    private final int ip;
    private final int path;
    private final int pathText;
    /** Whether a decision may depend on the path. */
    private final boolean looksAtPaths;
    /** Cached by the set of attributes that become known later; a binding uses one or two such sets. */
    private final Map<Set<String>, EarlyLimits> early = new ConcurrentHashMap<>();

    public Plan(
            Configuration configuration,
            SettingsSnapshot settings,
            Counts counts,
            UnclassifiedValueLog unclassed,
            Map<String, SkippedLimitWatch> skips,
            SeenKeys seen) {
        AttributeIndex index = new AttributeIndex();
        this.configuration = configuration;
        this.skips = skips;
        this.seen = seen;
        this.addresses = ClientAddress.behind(
                TrustedProxies.of(configuration.trustedProxies()),
                configuration.ipv6Prefix(),
                configuration.forwardAuth().clientAddress());
        this.paths = new PathNormalizer(configuration.paths());
        AttributeValues known = new AttributeValues(addresses, paths);
        this.ip = index.of("ip");
        this.path = index.of("path");
        this.pathText = index.ofCompared("path");
        this.classifiers = configuration.classify().stream()
                .map(rule -> new Classifier(rule, index, paths, unclassed))
                .toList();
        this.limits = configuration.limits().stream()
                .map(rule -> new PreparedLimit(
                        rule,
                        index,
                        settings,
                        known,
                        counts.of(rule.name()),
                        Objects.requireNonNull(skips.get(rule.name())),
                        seen))
                .toArray(PreparedLimit[]::new);
        this.byName =
                Stream.of(limits).collect(Collectors.toUnmodifiableMap(limit -> limit.rule.name(), limit -> limit));
        this.exemptions = exemptions(settings, index, known);
        this.penaltyAttributes = configuration.penalty() == null
                ? new int[0]
                : configuration.penalty().per().stream().mapToInt(index::of).toArray();
        this.looksAtPaths = configuration.limits().stream()
                        .anyMatch(rule -> EarlyLimits.attributes(rule).contains("path"))
                || configuration.classify().stream()
                        .anyMatch(rule -> rule.from().equals("path"))
                || Stream.of(exemptions).anyMatch(exemption -> exemption.attribute == path)
                || Stream.of(limits).anyMatch(limit -> limit.hasOverridesBy(Set.of(path)));
        this.names = index.names();
        this.defaults = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            String value = configuration.defaults().get(names[i]);
            defaults[i] = value == null || value.isEmpty() ? null : value;
        }
    }

    private record Exemption(int attribute, Set<String> values) {}

    /** Determines client addresses behind the proxies that the configuration trusts. */
    public ClientAddress addresses() {
        return addresses;
    }

    /** The limits that can be decided while attributes of these names are not known yet. */
    public EarlyLimits earlyLimits(Set<String> later) {
        Objects.requireNonNull(later, "later is null; it may be empty");
        return early.computeIfAbsent(later, names -> EarlyLimits.of(configuration, limits, this.names, names));
    }

    /**
     * Prepares a request for the concurrency limits or for all others. Null if limiting is disabled, the request is
     * exempt, or no limit applies.
     */
    @Nullable
    public PreparedRequest prepare(Request request, boolean forLeases) {
        List<@Nullable String[]> interpretations = subjected(request, null);
        if (interpretations.isEmpty()) {
            return null;
        }
        PreparedRequest prepared = new PreparedRequest(this, request, interpretations.get(0), limits.length);
        for (PreparedLimit limit : limits) {
            if (limit.isForLeases == forLeases) {
                prepared.addOrSkip(limit, matching(limit, interpretations));
            }
        }
        return prepared.asked();
    }

    /**
     * Prepares a request for the named limits alone; their conditions need not hold.
     *
     * @throws IllegalArgumentException if a name is not that of a limit, or the request lacks what a limit needs
     */
    @Nullable
    public PreparedRequest prepareOnly(Request request, Set<String> named) {
        Objects.requireNonNull(named, "limits is null; it must name at least one limit");
        String stranger = unknownLimit(named);
        if (stranger != null) {
            throw new IllegalArgumentException("this check" + stranger);
        }
        List<@Nullable String[]> interpretations = subjected(request, null);
        if (interpretations.isEmpty()) {
            return null;
        }
        PreparedRequest prepared = new PreparedRequest(this, request, interpretations.get(0), limits.length);
        for (PreparedLimit limit : limits) {
            if (named.contains(limit.rule.name())) {
                interpretations.forEach(interpretation -> limit.checkNamed(interpretation, request));
                prepared.addOrSkip(limit, interpretations);
            }
        }
        return prepared.asked();
    }

    /**
     * Prepares a request for one limit alone, at a given rate in place of the limit's own; its conditions need not hold.
     * The rate has counts of its own.
     *
     * @throws IllegalArgumentException if the name is not that of a limit, or the request lacks what the limit needs
     */
    @Nullable
    public PreparedRequest prepareOnly(Request request, String named, @Nullable Rate rate) {
        PreparedLimit limit = byName.get(named);
        if (limit == null) {
            throw new IllegalArgumentException("this check" + unknownLimit(Set.of(named)));
        }
        List<@Nullable String[]> interpretations = subjected(request, null);
        if (interpretations.isEmpty()) {
            return null;
        }
        @Nullable String[] usual = interpretations.get(0);
        PreparedRequest prepared = new PreparedRequest(this, request, usual, 1);
        limit.checkNamed(usual, request);
        prepared.addOrSkip(rate == null ? limit : limit.at(rate), Collections.singletonList(usual));
        return prepared.asked();
    }

    /** Prepares the first stage: only early limits, with the attributes that become known later treated as absent. */
    @Nullable
    public PreparedRequest prepareEarly(Request request, EarlyLimits only) {
        List<@Nullable String[]> interpretations = subjected(request, only);
        if (interpretations.isEmpty()) {
            return null;
        }
        PreparedRequest prepared = new PreparedRequest(this, request, interpretations.get(0), limits.length);
        for (PreparedLimit limit : limits) {
            if (!limit.isForLeases && only.contains(limit)) {
                prepared.ask(limit, matching(limit, interpretations));
            }
        }
        return prepared.asked();
    }

    /** The interpretations of a request that limits apply to; empty if limiting is disabled or the request is exempt. */
    private List<@Nullable String[]> subjected(Request request, @Nullable EarlyLimits only) {
        Objects.requireNonNull(request, "request is null");
        if (!request.costs().isEmpty()) {
            String stranger = unknownLimit(request.costs().keySet());
            if (stranger != null) {
                throw new ArgumentException("costs", "costs" + stranger);
            }
        }
        if (!configuration.enabled()) {
            return List.of();
        }
        List<@Nullable String[]> interpretations = interpretations(request, only);
        return areExempt(interpretations) ? List.of() : interpretations;
    }

    /**
     * Prepares a status request: every limit that can apply to this caller. Conditions on attributes that are not given
     * count as fulfilled. Given attributes are used as they are, even those that rules derive.
     */
    @Nullable
    public PreparedRequest survey(Map<String, String> attributes) {
        Request request = Request.of(attributes);
        String sent = path(request, null);
        @Nullable String[] values = values(request, true, null, sent == null ? null : paths.usual(sent));
        PreparedRequest prepared = new PreparedRequest(this, request, values, limits.length);
        for (PreparedLimit limit : limits) {
            prepared.survey(limit);
        }
        return prepared.asked();
    }

    /** The budgets of the subject that has all these attributes. */
    public SubjectBudgets budgetsOf(Map<String, String> attributes) {
        return new SubjectBudgets(configuration, limits, names, seen, given(attributes)).find();
    }

    /** The attributes that identify the subject of a penalty; empty without one. */
    public List<String> penaltyPer() {
        PenaltyRule penalty = configuration.penalty();
        return penalty == null ? List.of() : penalty.per();
    }

    /** The subject that a penalty applies to; null if these attributes do not identify one. */
    @Nullable
    public List<String> penaltySubject(Map<String, String> attributes) {
        return penaltySubject(given(attributes));
    }

    /** The given attributes and those derived from them, without defaults. */
    private @Nullable String[] given(Map<String, String> attributes) {
        @Nullable String[] values = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            values[i] = attributes.get(names[i]);
        }
        String sent = values[path];
        normalize(values, sent == null ? null : paths.usual(sent));
        for (Classifier classifier : classifiers) {
            if (values[classifier.source] != null && !attributes.containsKey(classifier.rule.set())) {
                values[classifier.target] = classifier.derive(values);
            }
        }
        return values;
    }

    /** Normalizes the address as keys contain it, and sets the path to one of its interpretations. */
    private void normalize(@Nullable String[] values, @Nullable String interpretation) {
        if (values[ip] != null) {
            values[ip] = addresses.identity(values[ip]);
        }
        values[path] = interpretation == null ? null : PathNormalizer.keyText(interpretation);
        values[pathText] = interpretation;
    }

    /** The interpretations of a request that a limit matches. */
    private static List<@Nullable String[]> matching(PreparedLimit limit, List<@Nullable String[]> interpretations) {
        if (interpretations.size() == 1) {
            return limit.matches(interpretations.get(0)) ? interpretations : List.of();
        }
        List<@Nullable String[]> matching = new ArrayList<>();
        for (@Nullable String[] interpretation : interpretations) {
            if (limit.matches(interpretation)) {
                matching.add(interpretation);
            }
        }
        return matching;
    }

    /** Whether a request is exempt under every interpretation of its path. */
    private boolean areExempt(List<@Nullable String[]> interpretations) {
        for (int i = 0; i < interpretations.size(); i++) {
            if (!isExempt(interpretations.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The values of all attributes that the plan uses, for the usual interpretation of the path. */
    public @Nullable String[] values(Request request) {
        return interpretations(request, null).get(0);
    }

    /** The subject for which a request is exempt, as {@code attribute=value}; null if it is not exempt. */
    public @Nullable String exemptBy(Request request) {
        if (!isExempt(request)) {
            return null;
        }
        @Nullable String[] values = values(request);
        for (Exemption exemption : exemptions) {
            String value = values[exemption.attribute];
            if (value != null && exemption.values.contains(value)) {
                return names[exemption.attribute] + "=" + value;
            }
        }
        return null;
    }

    /** The limits that do not apply to a request, and why. */
    public List<Explanation.Skipped> skipped(Request request) {
        List<Explanation.Skipped> skipped = new ArrayList<>();
        String exempt = exemptBy(request);
        List<@Nullable String[]> interpretations = interpretations(request, null);
        for (PreparedLimit limit : limits) {
            String why = !configuration.enabled()
                    ? "limiting is off (enabled: false)"
                    : exempt != null ? "the request is exempt: " + exempt : limit.whyNot(interpretations, request);
            if (why != null) {
                skipped.add(new Explanation.Skipped(limit.rule.name(), why));
            }
        }
        return skipped;
    }

    /** Whether limiting is enabled and this request is exempt. */
    public boolean isExempt(Request request) {
        return configuration.enabled() && exemptions.length > 0 && areExempt(interpretations(request, null));
    }

    public boolean isExempt(@Nullable String[] values) {
        for (Exemption exemption : exemptions) {
            String value = values[exemption.attribute];
            if (value != null && exemption.values.contains(value)) {
                return true;
            }
        }
        return false;
    }

    /** The derived attributes, for reports. */
    public Map<String, String> derived(@Nullable String[] values) {
        Map<String, String> derived = new LinkedHashMap<>();
        for (Classifier classifier : classifiers) {
            String value = values[classifier.target];
            if (value != null) {
                derived.put(classifier.rule.set(), value);
            }
        }
        return derived;
    }

    /** Calls the action with each attribute that has a value. */
    public void forEach(@Nullable String[] values, BiConsumer<String, String> action) {
        for (int i = 0; i < names.length; i++) {
            String value = values[i];
            if (value != null && i != pathText) {
                action.accept(names[i], value);
            }
        }
    }

    /**
     * The values of a request for each interpretation of its path, the usual interpretation first. A limit applies if
     * it matches one of them.
     *
     * @throws IllegalArgumentException if its path is refused
     */
    private List<@Nullable String[]> interpretations(Request request, @Nullable EarlyLimits only) {
        String sent = path(request, only);
        if (sent == null || paths.isPlain(sent) || !(looksAtPaths || paths.refusesAmbiguous())) {
            return Collections.singletonList(values(request, false, only, sent == null ? null : paths.usual(sent)));
        }
        List<@Nullable String[]> interpretations = new ArrayList<>();
        for (String interpretation : paths.interpretations(sent)) {
            interpretations.add(values(request, false, only, interpretation));
        }
        return Collections.unmodifiableList(interpretations);
    }

    private @Nullable String path(Request request, @Nullable EarlyLimits only) {
        if (only != null && only.isLater(path)) {
            return null;
        }
        String given = request.attributes().get(names[path]);
        return given != null ? given : defaults[path];
    }

    /** The values of all attributes that the plan uses, derived ones included, for one interpretation of the path. */
    private @Nullable String[] values(
            Request request, boolean keepsGiven, @Nullable EarlyLimits only, @Nullable String interpretation) {
        @Nullable String[] values = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            if (only != null && only.isLater(i)) {
                continue;
            }
            String given = request.attributes().get(names[i]);
            values[i] = given != null ? given : defaults[i];
        }
        normalize(values, interpretation);
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

    /**
     * The subject that a penalty applies to; null if there is no penalty, or the request lacks one of its attributes.
     */
    @Nullable
    public List<String> penaltySubject(@Nullable String[] values) {
        if (penaltyAttributes.length == 0) {
            return null;
        }
        List<String> penaltySubject = new ArrayList<>(penaltyAttributes.length);
        for (int attribute : penaltyAttributes) {
            String value = values[attribute];
            if (value == null) {
                return null;
            }
            penaltySubject.add(value);
        }
        return penaltySubject;
    }

    /** The part of a message about the first name that is not that of a limit; null if all names are. */
    private @Nullable String unknownLimit(Set<String> limitNames) {
        for (String name : limitNames) {
            if (configuration.limit(name) == null) {
                return " names '" + ClientText.shown(name, 64) + "', which is not a limit; choose one of "
                        + configuration.limitNames();
            }
        }
        return null;
    }

    /**
     * The exemptions of the file and of the runtime settings. Addresses and paths match in any spelling; unknown
     * clients are never exempt.
     */
    private Exemption[] exemptions(SettingsSnapshot settings, AttributeIndex index, AttributeValues known) {
        Stream<String> attributes =
                Stream.concat(configuration.exempt().keySet().stream(), settings.exempt().keySet().stream());
        return attributes
                .distinct()
                .map(attribute -> new Exemption(
                        index.of(attribute),
                        Stream.of(configuration.exempt(), settings.exempt())
                                .flatMap(exempt -> exempt.getOrDefault(attribute, Set.of()).stream())
                                .map(value -> known.of(attribute, value))
                                .filter(value -> !attribute.equals("ip") || !value.equals(ClientAddress.UNKNOWN))
                                .collect(Collectors.toUnmodifiableSet())))
                .toArray(Exemption[]::new);
    }
}
