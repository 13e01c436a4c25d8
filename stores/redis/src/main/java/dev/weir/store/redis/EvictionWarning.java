package dev.weir.store.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Tells in the log of a Redis that drops keys when its memory is full: a dropped budget is whole again, so that filling the
 * memory would reset limits. It is asked by {@code INFO}, as services for rent often forbid {@code CONFIG}; one that does not
 * say is left alone.
 */
final class EvictionWarning {
    private static final Logger LOG = System.getLogger(EvictionWarning.class.getName());
    private static final String FIELD = "maxmemory_policy:";

    /** The second drops what is nearly whole first. */
    private static final Set<String> SAFE = Set.of("", "noeviction", "volatile-ttl");

    private EvictionWarning() {}

    /** Looks in the background. Of Redis Cluster one node is asked. */
    static void warn(RedisLink link) {
        var unused = policy(link).thenAccept(policy -> {
            if (!SAFE.contains(policy)) {
                LOG.log(
                        Level.WARNING,
                        "{0} has maxmemory-policy {1}: when its memory is full it drops counts, and whoever they are about"
                                + " may use a whole limit again; set maxmemory-policy noeviction there, or volatile-ttl",
                        link.name(),
                        policy);
            }
        });
    }

    /** What Redis does when its memory is full; empty if it does not say. */
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
