package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.engine.address.ProxyHeader;
import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.AmbiguousPaths;
import dev.weir.engine.config.ChargeRule;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.Durations;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.HoldRule;
import dev.weir.engine.config.MissingPolicy;
import dev.weir.engine.config.PathCase;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.schema.MappingSchema.Fields;
import dev.weir.engine.event.WebhookTarget;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The configuration language: every key, its values and its meaning. */
public final class ConfigurationKeys {
    static final String ATTRIBUTE = "[A-Za-z_][A-Za-z0-9_.-]*";
    private static final String NAME = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}";

    private static final ValueType<String> ATTRIBUTE_NAME = ValueTypes.text(
            ATTRIBUTE, "it must be an attribute's name: a letter or '_', then letters, digits, '_', '.' or '-'");
    private static final ValueType<String> LIMIT_NAME =
            ValueTypes.text(NAME, "it must be 1 to 64 letters, digits, '_', '.' or '-', and not begin with '.' or '-'");
    private static final ValueType<Long> COUNT = ValueTypes.number(1, Policy.MAX_COUNT);

    static final ValueType<Duration> DURATION =
            ValueTypes.scalar(ordered("type", "string", "pattern", "^" + Durations.REGEX + "$"), text -> {
                Duration duration = duration(text);
                if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(Duration.ofDays(36_525)) > 0) {
                    throw new IllegalArgumentException("it must be a millisecond to a hundred years");
                }
                return duration;
            });

    private static final ValueType<Integer> PERCENT =
            ValueTypes.scalar(ordered("type", "string", "pattern", "^([1-9][0-9]?|100) ?%$"), text -> {
                if (!text.matches("0*([1-9][0-9]?|100) ?%")) {
                    String sign = text.matches("[1-9][0-9]?|100") ? "; did you mean " + text + "%?" : "";
                    throw new IllegalArgumentException("it must be 1% to 100%" + sign);
                }
                return Integer.valueOf(text.replaceAll("[ %]", ""));
            });

    private static final ValueType<String> HEADER_NAME = ValueTypes.text(
            "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}",
            "it must be a header's name such as X-User: 1 to 64 letters, digits, or '-'");

    private static final ValueType<URI> WEBHOOK = webhook();
    private static final ValueType<String> SECRET = secret();
    private static final ValueType<FailurePolicy> ON_FAILURE = ValueTypes.choice(FailurePolicy.class);

    private ConfigurationKeys() {}

    /** The keys of a rule in {@code classify}. */
    static final class Classify {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<String> SET = SHAPE.required("set", ATTRIBUTE_NAME, "The attribute to set.");
        static final ConfigKey<String> FROM = SHAPE.required("from", ATTRIBUTE_NAME, "The attribute to look at.");
        static final ConfigKey<Map<String, Located<List<Located<String>>>>> VALUES = SHAPE.required(
                "values",
                ValueTypes.map(ValueTypes.TEXT, ValueTypes.listOrOne(ValueTypes.TEXT)),
                "For every class the values that belong to it; the first match wins, and globs are allowed.");
        static final ConfigKey<String> DEFAULT = SHAPE.optional(
                "default", ValueTypes.TEXT, "The class of everything else; without it the attribute is left alone.");

        private Classify() {}
    }

    /** The keys of a limit. */
    static final class Limit {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<String> NAME =
                SHAPE.required("name", LIMIT_NAME, "What answers and metrics call it; unique.");
        static final ConfigKey<Map<String, Located<Condition>>> MATCH = SHAPE.optional(
                "match",
                ValueTypes.map(ATTRIBUTE_NAME, ConditionReader.VALUE),
                "To which requests it applies: every attribute named here must be one of its values; null means absent.");
        static final ConfigKey<List<Located<List<String>>>> PER = SHAPE.optional(
                "per",
                ValueTypes.listOrOne(KeyPartReader.VALUE),
                "Whose budget: one for every combination of these attributes; 'user|ip' takes the first"
                        + " present; [] is one budget for all.",
                List.of());
        static final ConfigKey<String> BY =
                SHAPE.optional("by", ATTRIBUTE_NAME, "The attribute that chooses the row of 'rate' and 'burst'.");
        static final ConfigKey<NamedRows<List<Located<Rate>>>> RATE = SHAPE.required(
                "rate",
                NamedRows.of(RateListReader.VALUE),
                "How many in what time, several of those, or rows chosen by 'by'.");
        static final ConfigKey<Algorithm> ALGORITHM = SHAPE.optional(
                "algorithm", ValueTypes.choice(Algorithm.class), "How it counts.", Algorithm.TOKEN_BUCKET.text());
        static final ConfigKey<NamedRows<Long>> BURST = SHAPE.optional(
                "burst", NamedRows.of(COUNT), "A token bucket's capacity; the rate's number if not given.");
        static final ConfigKey<CostRuleReader.Draft> COST = SHAPE.optional(
                "cost",
                CostRuleReader.VALUE,
                "What a request costs: a number, an attribute's name, or rows chosen by an attribute.");
        static final ConfigKey<ChargeRule> CHARGE = SHAPE.optional(
                "charge",
                ChargeRuleReader.VALUE,
                "Which responses are charged, by their status, such as 'on-status 401'; every request if not given.");
        static final ConfigKey<Integer> WARN =
                SHAPE.optional("warn", PERCENT, "The share used at which a warning is given.");
        static final ConfigKey<Boolean> SHADOW =
                SHAPE.optional("shadow", ValueTypes.FLAG, "Whether it only reports what it would refuse.", false);
        static final ConfigKey<FailurePolicy> ON_STORE_FAILURE = SHAPE.optional(
                "on-store-failure", ON_FAILURE, "What it answers when the store cannot; the file's if not given.");
        static final ConfigKey<MissingPolicy> ON_MISSING = SHAPE.optional(
                "on-missing",
                ValueTypes.choice(MissingPolicy.class),
                "What it does with a request that it matches and that lacks an attribute of 'per'.",
                MissingPolicy.SKIP.text());
        static final ConfigKey<String> SCOPE = SHAPE.optional(
                "scope", LIMIT_NAME, "How answers call the kind of budget; derived from 'per' if not given.");
        static final ConfigKey<ZoneId> CALENDAR = SHAPE.optional(
                "calendar",
                zone(),
                "The time zone with whose second, minute, hour, day, week or month a fixed window turns; UTC for months if not given.");

        private Limit() {}
    }

    /** The keys of {@code forward-auth}. */
    static final class ForwardAuth {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<Map<String, Located<String>>> HEADERS = SHAPE.optional(
                "headers",
                ValueTypes.map(ATTRIBUTE_NAME, HEADER_NAME),
                "For each attribute the header that sets it; no other header does, and none sets ip, path, method, host"
                        + " or channel.");
        static final ConfigKey<ProxyHeader> CLIENT_ADDRESS = SHAPE.optional(
                "client-address",
                ValueTypes.choice(ProxyHeader.class),
                "The one header in which trusted proxies send the client's address.",
                ProxyHeader.X_FORWARDED_FOR.text());

        private ForwardAuth() {}
    }

    /** The keys of {@code penalty}. */
    static final class Penalty {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<List<Located<String>>> PER = SHAPE.required(
                "per", ValueTypes.listOrOne(ATTRIBUTE_NAME), "The attributes of the subject that is penalized.");
        static final ConfigKey<List<Located<Duration>>> BACKOFF = SHAPE.optional(
                "backoff",
                ValueTypes.list(DURATION),
                "The least wait after the first, second, ... violation in a row; the last one repeats.",
                List.of("1s", "2s", "5s", "10s", "30s"));
        static final ConfigKey<Duration> RESET_AFTER = SHAPE.optional(
                "reset-after", DURATION, "How long without a violation until the count starts again.", "60s");
        static final ConfigKey<Boolean> ENFORCE = SHAPE.optional(
                "enforce", ValueTypes.FLAG, "Whether everything is refused until the wait has passed.", false);

        private Penalty() {}
    }

    /** The keys of {@code paths}. */
    static final class Paths {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<AmbiguousPaths> AMBIGUOUS = SHAPE.optional(
                "ambiguous",
                ValueTypes.choice(AmbiguousPaths.class),
                "What happens to a path that servers read differently: all limits apply that one of its readings"
                        + " matches, or the request is refused.",
                AmbiguousPaths.COUNT_ALL.text());
        static final ConfigKey<PathCase> CASE = SHAPE.optional(
                "case",
                ValueTypes.choice(PathCase.class),
                "Whether paths are case-sensitive.",
                PathCase.SENSITIVE.text());

        private Paths() {}
    }

    /** The keys of an alert. */
    static final class Alert {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<Long> VIOLATIONS = SHAPE.optional(
                "violations", ValueTypes.number(1, 10_000), "How many violations of one subject raise the alarm.");
        static final ConfigKey<Integer> DENIED_SHARE =
                SHAPE.optional("denied-share", PERCENT, "Which share of all requests refused raises the alarm.");
        static final ConfigKey<Duration> WITHIN =
                SHAPE.optional("within", DURATION, "The length of the interval.", "5m");
        static final ConfigKey<List<Located<String>>> PER = SHAPE.optional(
                "per",
                ValueTypes.listOrOne(ATTRIBUTE_NAME),
                "The attributes of a subject, for violations; [] counts all subjects together.",
                List.of());
        static final ConfigKey<URI> WEBHOOK = SHAPE.optional(
                "webhook", ConfigurationKeys.WEBHOOK, "The URL to notify, in addition to the event stream.");
        static final ConfigKey<String> SECRET = SHAPE.optional(
                "secret",
                ConfigurationKeys.SECRET,
                "What signs each message to the webhook: HMAC-SHA256 in the header X-Weir-Signature.");

        private Alert() {}
    }

    /** The keys of {@code holds}. */
    static final class Holds {
        public static final MappingSchema SHAPE = new MappingSchema();

        private static final ValueType<Duration> TTL =
                ValueTypes.scalar(ordered("type", "string", "pattern", "^" + Durations.REGEX + "$"), text -> {
                    Duration ttl = duration(text);
                    if (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(Store.LONGEST_TTL) > 0) {
                        throw new IllegalArgumentException("it must be a second to 7 days");
                    }
                    return ttl;
                });

        static final ConfigKey<Duration> LONGEST_RESERVATION = SHAPE.optional(
                "longest-reservation", TTL, "The longest ttl of a reservation, and of each prolongation.", "1h");
        static final ConfigKey<Duration> LONGEST_LEASE =
                SHAPE.optional("longest-lease", TTL, "The longest ttl of a lease, and of each renewal.", "1h");
        static final ConfigKey<Long> OPEN_RESERVATIONS = SHAPE.optional(
                "open-reservations",
                ValueTypes.number(1, HoldRule.MOST_OPEN),
                "How many reservations a subject may leave open; as many more in each longest-reservation.",
                1000);

        private Holds() {}
    }

    /** The top-level keys of the file. */
    public static final class File {
        public static final MappingSchema SHAPE = new MappingSchema();

        static final ConfigKey<Long> VERSION = SHAPE.optional("version", version(), "The version of this language.", 1);
        static final ConfigKey<Boolean> ENABLED = SHAPE.optional(
                "enabled",
                ValueTypes.FLAG,
                "The feature flag: with false every request is allowed and nothing is counted.",
                true);
        static final ConfigKey<String> STORE = SHAPE.optional(
                "store",
                StoreUriReader.VALUE,
                "Where the counts are kept: memory, or a store's URI.",
                StoreUriReader.MEMORY);
        static final ConfigKey<FailurePolicy> ON_STORE_FAILURE = SHAPE.optional(
                "on-store-failure", ON_FAILURE, "What limits answer when the store cannot.", FailurePolicy.DENY.text());
        static final ConfigKey<List<Located<String>>> TRUSTED_PROXIES = SHAPE.optional(
                "trusted-proxies",
                ValueTypes.listOrOne(Cidrs.VALUE),
                "Addresses and CIDR blocks that may speak for a client's address.",
                List.of());
        static final ConfigKey<Fields> FORWARD_AUTH = SHAPE.optional(
                "forward-auth",
                object("forwardAuth", ForwardAuth.SHAPE, mapping -> "'forward-auth'"),
                "What is read from the headers that trusted proxies send.");
        static final ConfigKey<Long> IPV6_PREFIX = SHAPE.optional(
                "ipv6-prefix",
                ValueTypes.number(1, 128),
                "How many leading bits of an IPv6 address are one client.",
                64);
        static final ConfigKey<Fields> PATHS = SHAPE.optional(
                "paths", object("paths", Paths.SHAPE, mapping -> "'paths'"), "How the paths of requests are compared.");
        static final ConfigKey<Map<String, Located<String>>> DEFAULTS = SHAPE.optional(
                "defaults", ValueTypes.map(ATTRIBUTE_NAME, ValueTypes.TEXT), "Attributes for requests that lack them.");
        static final ConfigKey<List<Located<Fields>>> CLASSIFY = SHAPE.optional(
                "classify",
                ValueTypes.list(object("classifyRule", Classify.SHAPE, fields -> "a rule of 'classify'")),
                "Rules that derive attributes from others, in order.");
        static final ConfigKey<List<Located<Fields>>> LIMITS = SHAPE.required(
                "limits",
                ValueTypes.list(object("limit", Limit.SHAPE, ConfigurationKeys::limitNoun)),
                "The limits, outermost first.");
        static final ConfigKey<Fields> PENALTY = SHAPE.optional(
                "penalty",
                object("penalty", Penalty.SHAPE, mapping -> "'penalty'"),
                "Progressive backoff: who is refused again and again waits longer and longer.");
        static final ConfigKey<Map<String, Located<List<Located<String>>>>> EXEMPT = SHAPE.optional(
                "exempt",
                ValueTypes.map(ATTRIBUTE_NAME, ValueTypes.listOrOne(ValueTypes.TEXT)),
                "Values of attributes whose requests no limit counts.");
        static final ConfigKey<List<Located<Fields>>> ALERTS = SHAPE.optional(
                "alerts",
                ValueTypes.list(object("alert", Alert.SHAPE, fields -> "an alert")),
                "When to raise an alarm.");

        static final ConfigKey<Fields> HOLDS = SHAPE.optional(
                "holds",
                object("holds", Holds.SHAPE, mapping -> "'holds'"),
                "How long and how many reservations and leases a client may hold.");

        private File() {}
    }

    /** The mappings that the schema refers to by name. */
    public static Map<String, MappingSchema> named() {
        Map<String, MappingSchema> shapes = new LinkedHashMap<>();
        shapes.put("forwardAuth", ForwardAuth.SHAPE);
        shapes.put("classifyRule", Classify.SHAPE);
        shapes.put("limit", Limit.SHAPE);
        shapes.put("penalty", Penalty.SHAPE);
        shapes.put("alert", Alert.SHAPE);
        shapes.put("holds", Holds.SHAPE);
        shapes.put("paths", Paths.SHAPE);
        return shapes;
    }

    private static ValueType<Fields> object(String ref, MappingSchema shape, Function<Yaml.Entries, String> noun) {
        return ValueTypes.mapping(ref, (mapping, faults) -> shape.read(mapping, noun.apply(mapping), faults));
    }

    private static String limitNoun(Yaml.Entries limit) {
        for (Yaml.Entry entry : limit.entries()) {
            if (entry.key().equals("name") && entry.value() instanceof Yaml.Scalar name && !name.isNull()) {
                return "limit " + Faults.quote(name.text());
            }
        }
        return "a limit";
    }

    private static Duration duration(String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            String unit = text.matches("[0-9]{1,15}") ? "; did you mean " + text + "s?" : "";
            throw new IllegalArgumentException("it must be a duration " + Durations.EXAMPLES + unit, e);
        }
    }

    private static ValueType<Long> version() {
        return ValueTypes.scalar(ordered("const", 1), text -> {
            if (!text.equals("1")) {
                throw new IllegalArgumentException("this Weir reads version 1");
            }
            return 1L;
        });
    }

    private static ValueType<ZoneId> zone() {
        return ValueTypes.scalar(ordered("type", "string"), text -> {
            try {
                return ZoneId.of(text);
            } catch (DateTimeException e) {
                throw new IllegalArgumentException(
                        "it must be a time zone such as UTC or Europe/Berlin"
                                + Faults.didYouMean(text, ZoneId.getAvailableZoneIds()),
                        e);
            }
        });
    }

    /** A secret; faults do not repeat its text. */
    private static ValueType<String> secret() {
        ValueType<String> text =
                ValueTypes.scalar(ordered("type", "string", "minLength", 16, "maxLength", 256), found -> found);
        return new ValueType<>(text.schema(), (node, what, faults) -> {
            String found = node instanceof Yaml.Scalar scalar && !scalar.isNull() ? scalar.text() : "";
            if (found.length() < 16 || found.length() > 256) {
                faults.add(node.location(), what + " is not shown; it must be 16 to 256 characters");
                return null;
            }
            return found;
        });
    }

    private static ValueType<URI> webhook() {
        String need = "it must be an http or https address such as https://example.org/hook";
        ValueType<URI> address =
                ValueTypes.scalar(ordered("type", List.of("string", "null"), "pattern", "^https?://"), text -> {
                    URI uri = StoreUriReader.uri(text);
                    if (uri == null
                            || uri.getHost() == null
                            || !String.valueOf(uri.getScheme()).matches("https?")) {
                        throw new IllegalArgumentException(need);
                    }
                    // The sender accepts less than a URI may contain: no user name, no unusual host.
                    WebhookTarget.parse(text);
                    return uri;
                });
        return new ValueType<>(
                address.schema(),
                (node, what, faults) -> node instanceof Yaml.Scalar scalar && scalar.isNull()
                        ? null
                        : StoreUriReader.withoutSecrets(address, need).read(node, what, faults));
    }
}
