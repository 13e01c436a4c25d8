package dev.weir.engine.config;

import dev.weir.engine.config.schema.StoreUriReader;
import dev.weir.engine.event.AlertRule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A complete configuration file as a value: defaults filled in, placeholders replaced, references checked. Immutable.
 *
 * <p>{@link ConfigurationReader} creates it and reports all faults of a file at once; the records here only copy their
 * arguments. Maps and sets keep the order of the file.
 *
 * @param enabled the feature flag; false disables limiting: every request is allowed
 * @param store the store of the counts: {@code memory} or a URI, which may contain a password
 * @param onStoreFailure the default of the limits' {@code on-store-failure}
 * @param trustedProxies addresses and CIDR blocks of the proxies that report client addresses
 * @param forwardAuth what is read from the headers of trusted proxies
 * @param ipv6Prefix the number of leading bits of an IPv6 address that identify a client, 1 to 128
 * @param defaults values of attributes that a request lacks
 * @param classify rules that derive attributes, in the order in which they apply
 * @param limits the limits, outermost first, with unique names
 * @param penalty the progressive backoff, or null when there is none
 * @param exempt values of an attribute, by its name, whose requests no limit counts
 * @param alerts the alerts
 * @param holds the bounds on duration and number of reservations and leases
 * @param paths how the paths of requests are compared
 */
public record Configuration(
        boolean enabled,
        String store,
        FailurePolicy onStoreFailure,
        List<String> trustedProxies,
        ForwardAuthRule forwardAuth,
        int ipv6Prefix,
        Map<String, String> defaults,
        List<ClassifyRule> classify,
        List<LimitRule> limits,
        @Nullable PenaltyRule penalty,
        Map<String, Set<String>> exempt,
        List<AlertRule> alerts,
        HoldRule holds,
        PathRules paths) {

    public Configuration {
        trustedProxies = List.copyOf(trustedProxies);
        defaults = OrderedCopies.ordered(defaults);
        classify = List.copyOf(classify);
        limits = List.copyOf(limits);
        exempt = OrderedCopies.ordered(exempt, OrderedCopies::ordered);
        alerts = List.copyOf(alerts);
    }

    /** The same configuration on another store. */
    public Configuration withStore(String newStore) {
        return with(enabled, newStore, alerts);
    }

    /** The same configuration with limiting disabled. */
    public Configuration switchedOff() {
        return with(false, store, alerts);
    }

    /** The same configuration without alerts. */
    public Configuration withoutAlerts() {
        return with(enabled, store, List.of());
    }

    private Configuration with(boolean newEnabled, String newStore, List<AlertRule> newAlerts) {
        return new Configuration(
                newEnabled,
                newStore,
                onStoreFailure,
                trustedProxies,
                forwardAuth,
                ipv6Prefix,
                defaults,
                classify,
                limits,
                penalty,
                exempt,
                newAlerts,
                holds,
                paths);
    }

    /** The store's URI for messages: without user, password and options. */
    public String shownStore() {
        return StoreUriReader.shownUri(store);
    }

    /** The names of all limits, for messages. */
    public String limitNames() {
        return limits.stream().map(LimitRule::name).collect(Collectors.joining(", "));
    }

    /** The limit with this name, or null. */
    public @Nullable LimitRule limit(String name) {
        for (LimitRule limit : limits) {
            if (limit.name().equals(name)) {
                return limit;
            }
        }
        return null;
    }
}
