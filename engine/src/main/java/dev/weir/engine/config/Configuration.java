package dev.weir.engine.config;

import dev.weir.engine.event.AlertRule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A whole configuration file as a value: every default filled in, every placeholder replaced, every reference checked.
 *
 * <p>It comes from {@link ConfigurationReader}, which reports all that is wrong with a file at once; the records here
 * only copy what they are given. Maps and sets keep the order of the file. Immutable.
 *
 * @param enabled the feature flag; false lets everything pass untouched
 * @param store where the counts are kept: {@code memory} or a URI, which may hold a password
 * @param onStoreFailure what limits that do not say otherwise answer when the store cannot
 * @param trustedProxies addresses and CIDR blocks that may speak for a client's address
 * @param forwardAuth what is read from the headers that trusted proxies send
 * @param ipv6Prefix how many leading bits of an IPv6 address identify a client, 1 to 128
 * @param defaults attributes, with their values, for requests that lack them
 * @param classify rules that derive attributes, in the order in which they apply
 * @param limits the limits, outermost first, with unique names
 * @param penalty the progressive backoff, or null when there is none
 * @param exempt values of an attribute, by its name, whose requests no limit counts
 * @param alerts what to raise an alarm about
 * @param holds how long and how many reservations and leases are held
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
        defaults = Copies.ordered(defaults);
        classify = List.copyOf(classify);
        limits = List.copyOf(limits);
        exempt = Copies.ordered(exempt, Copies::ordered);
        alerts = List.copyOf(alerts);
    }

    /** The same on another store. */
    public Configuration withStore(String newStore) {
        return with(enabled, newStore, alerts);
    }

    /** The same, letting everything pass untouched. */
    public Configuration switchedOff() {
        return with(false, store, alerts);
    }

    /** The same, raising no alarm. */
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

    /** The store's URI as messages show it: without a user, a password and options. */
    public String shownStore() {
        return Stores.shownUri(store);
    }

    /** The names of all limits, for messages. */
    public String limitNames() {
        return limits.stream().map(LimitRule::name).collect(Collectors.joining(", "));
    }

    /** The limit of this name, or null. */
    public @Nullable LimitRule limit(String name) {
        for (LimitRule limit : limits) {
            if (limit.name().equals(name)) {
                return limit;
            }
        }
        return null;
    }
}
