package dev.weir.store.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Logs a warning if Redis evicts keys when its memory is full. An evicted budget is full again, so filling the memory
 * would reset limits. Reads the policy with {@code INFO}, because hosted services often forbid {@code CONFIG}; logs
 * nothing if it is not reported.
 */
final class EvictionWarning {
    private static final Logger LOG = System.getLogger(EvictionWarning.class.getName());
    private static final String FIELD = "maxmemory_policy:";

    /** Policies without a warning. {@code volatile-ttl} evicts the budgets that are nearly full first. */
    private static final Set<String> SAFE = Set.of("", "noeviction", "volatile-ttl");

    private EvictionWarning() {}

    /** Checks in the background. In Redis Cluster it checks one node. */
    static void warn(RedisLink link) {
        var unused = policy(link).thenAccept(policy -> {
            if (!SAFE.contains(policy)) {
                LOG.log(
                        Level.WARNING,
                        "{0} has maxmemory-policy {1}: when its memory is full it drops counts, and the clients they belong to"
                                + " may use a full limit again; set maxmemory-policy noeviction there, or volatile-ttl",
                        link.name(),
                        policy);
            }
        });
    }

    /** Redis's {@code maxmemory-policy}; empty if it is not reported. */
    static CompletionStage<String> policy(RedisLink link) {
        return link.commands().info("memory").handle((info, failure) -> info == null ? "" : policy(info));
    }

    private static String policy(String info) {
        return info.lines()
                .filter(line -> line.startsWith(FIELD))
                .map(line -> line.substring(FIELD.length()).strip())
                .findFirst()
                .orElse("");
    }
}
