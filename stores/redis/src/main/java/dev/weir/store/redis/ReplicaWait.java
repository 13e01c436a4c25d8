package dev.weir.store.redis;

import dev.weir.StoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Calls the script and waits with {@code WAIT} until enough replicas have received its writes.
 *
 * <p>{@code WAIT} covers the writes of its own connection only. In Redis Cluster both commands therefore use the
 * connection to the keys' master, without Lettuce's routing. If the keys have moved, the call follows the redirect, a
 * few times at most.
 */
final class ReplicaWait {
    private static final Pattern MOVED = Pattern.compile("MOVED \\d+ (.+):(\\d+)");

    /** Index of the byte in the script's result that says whether anything was written. */
    private static final int WRITTEN = 0;

    /**
     * Maximum number of redirects, as in Lettuce. While a slot moves, two masters may briefly redirect to each other.
     */
    private static final int MAX_REDIRECTS = 5;

    private final RedisLink link;
    private final RedisStoreOptions options;

    ReplicaWait(RedisLink link, RedisStoreOptions options) {
        this.link = link;
        this.options = options;
    }

    /** Runs the script. All keys must be in one hash slot. */
    CompletionStage<byte[]> decide(byte[][] keys, byte[]... arguments) {
        return link.masterOf(keys[0]).thenCompose(master -> decide(master, MAX_REDIRECTS, keys, arguments));
    }

    private CompletionStage<byte[]> decide(
            RedisClusterAsyncCommands<byte[], byte[]> master, int redirects, byte[][] keys, byte[]... arguments) {
        CompletionStage<byte[]> made = link.run(master, Script.DECIDE, ScriptOutputType.VALUE, keys, arguments);
        return made.<CompletionStage<byte[]>>handle((bytes, failure) -> {
                    if (failure == null) {
                        return bytes[WRITTEN] != 0 ? copied(master, bytes) : CompletableFuture.completedFuture(bytes);
                    }
                    Matcher moved = MOVED.matcher(String.valueOf(failure.getMessage()));
                    if (redirects > 0 && failure instanceof RedisCommandExecutionException && moved.matches()) {
                        // A redirected call did not run here, so it may be sent again.
                        link.refreshTopology();
                        return link.masterAt(moved.group(1), Integer.parseInt(moved.group(2)))
                                .thenCompose(other -> decide(other, redirects - 1, keys, arguments));
                    }
                    return CompletableFuture.failedFuture(failure);
                })
                .thenCompose(Function.identity());
    }

    /** Waits for replication for half the timeout of a call. Fails if too few replicas confirm. */
    private CompletionStage<byte[]> copied(RedisClusterAsyncCommands<byte[], byte[]> master, byte[] bytes) {
        long timeoutMillis = Math.max(1, options.timeout().toMillis() / 2);
        return master.waitForReplication(options.replicas(), timeoutMillis).thenApply(replicas -> {
            if (replicas < options.replicas()) {
                throw new StoreException(
                        "only " + replicas + " of " + options.replicas() + " replicas have what was written",
                        true,
                        null);
            }
            return bytes;
        });
    }
}
