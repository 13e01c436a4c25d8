package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.store.scripted.KeyNames;
import dev.weir.store.scripted.SettingsDocument;
import dev.weir.store.scripted.SharedSettings;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Settings in Redis, beside the counts. A script makes each change and publishes it on a channel. Redis's persistence
 * determines how durable an acknowledged change is.
 */
final class RedisSettings implements SettingsDocument {
    private final RedisLink link;
    private final byte[] document;
    private final byte[] version;
    private final byte[] changes;
    private final String channel;

    private RedisSettings(RedisLink link, KeyNames names) {
        this.link = link;
        this.document = bytes(names.settings("document"));
        this.version = bytes(names.settings("version"));
        this.changes = bytes(names.settings("changes"));
        this.channel = names.settings("changed");
    }

    /**
     * Reads the settings and subscribes to changes.
     *
     * @throws SettingsException if there are settings that cannot be read
     * @throws StoreException if Redis does not respond
     */
    static Settings open(RedisStore store, SettingsFormat format) {
        return new SharedSettings(new RedisSettings(store.link().sharedView(), store.names()), format);
    }

    @Override
    public String name() {
        return "Redis";
    }

    @Override
    public String where() {
        return new String(document, StandardCharsets.UTF_8);
    }

    @Override
    public Duration pollInterval() {
        return Duration.ofSeconds(3);
    }

    @Override
    public CompletionStage<Optional<byte[]>> unless(long known) {
        return link.commands()
                .get(version)
                .thenCompose(text -> number(text) == known
                        ? CompletableFuture.completedFuture(Optional.<byte[]>empty())
                        : link.commands().get(document).thenApply(RedisSettings::orEmpty));
    }

    private static Optional<byte[]> orEmpty(byte @Nullable [] found) {
        return Optional.of(found == null ? new byte[0] : found);
    }

    private static long number(byte @Nullable [] text) {
        return text == null ? 0 : Long.parseLong(new String(text, StandardCharsets.US_ASCII));
    }

    @Override
    public CompletionStage<Boolean> replace(long base, byte[] next, byte[] change, int mostChanges) {
        CompletionStage<Long> made = link.run(
                Script.SETTINGS,
                ScriptOutputType.INTEGER,
                new byte[][] {document, version, changes},
                bytes(Long.toString(base)),
                next,
                change,
                bytes(Integer.toString(mostChanges)),
                bytes(channel));
        return made.thenApply(number -> number == 1);
    }

    @Override
    public CompletionStage<List<byte[]>> changes(int count) {
        return link.commands().lrange(changes, 0, count - 1L);
    }

    @Override
    public Watcher watch(long known, Runnable changed) {
        StatefulRedisPubSubConnection<String, String> heard = link.listen();
        heard.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String text) {
                changed.run();
            }

            /** Also runs after a reconnect, because messages published in between were lost. */
            @Override
            public void subscribed(String to, long count) {
                changed.run();
            }
        });
        var unused = heard.async().subscribe(channel);
        return () -> {
            var unusedToo = heard.closeAsync();
        };
    }

    @Override
    public StoreException failed(Throwable failure) {
        return RedisFailure.whenCalling(link.name(), failure);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
