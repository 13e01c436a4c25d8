package dev.weir.engine;

import dev.weir.engine.config.ConfigurationReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file of a configuration, watched for changes: a change is passed on once the file is stable.
 *
 * <p>The file is polled twice a second. Its content is compared, since timestamps are unreliable. A change counts when
 * two polls in a row see the same content, so that a file that is just being written is not read half. A missing file
 * is not a change.
 */
final class ConfigurationFile implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 500;
    /** One more than a configuration may have: the reader reports the fault of such a file. */
    private static final int MOST_BYTES = (1 << 20) + 1;

    private final Path path;
    private final ConfigurationReader reader;
    /** The content that was last passed on; guarded by this. */
    private byte[] known;
    /** The content that one poll has seen; guarded by this. */
    private byte @Nullable [] seen;

    private volatile @Nullable Thread follower;

    ConfigurationFile(Path path, ConfigurationReader reader) {
        this.path = path;
        this.reader = reader;
        byte[] content = content();
        this.known = content == null ? new byte[0] : content;
    }

    String name() {
        return path.toString();
    }

    /** Reads the file now, whether or not it changed. */
    synchronized ConfigurationReader.Result read() {
        byte[] content = content();
        if (content == null) {
            // The reader reports the cause.
            return reader.read(path);
        }
        known = content;
        seen = null;
        return reader.read(name(), content);
    }

    /**
     * Polls the file; reads it if it changed and is the same as in the last poll. Returns null if there is nothing new.
     */
    synchronized ConfigurationReader.@Nullable Result look() {
        byte[] content = content();
        if (content == null || Arrays.equals(content, known)) {
            seen = null;
            return null;
        }
        if (!Arrays.equals(content, seen)) {
            seen = content;
            return null;
        }
        known = content;
        seen = null;
        return reader.read(name(), content);
    }

    /** Polls the file repeatedly, in its own thread. */
    void follow(Consumer<ConfigurationReader.Result> taker) {
        Thread thread = new Thread(() -> run(taker), "weir-configuration");
        thread.setDaemon(true);
        follower = thread;
        thread.start();
    }

    @Override
    public void close() {
        Thread running = follower;
        follower = null;
        if (running != null) {
            running.interrupt();
        }
    }

    private void run(Consumer<ConfigurationReader.Result> taker) {
        try {
            while (Thread.currentThread() == follower) {
                Thread.sleep(INTERVAL_MILLIS);
                ConfigurationReader.Result result = look();
                if (result != null) {
                    taker.accept(result);
                }
            }
        } catch (InterruptedException e) {
            // The file was closed.
        }
    }

    private byte @Nullable [] content() {
        try (InputStream in = Files.newInputStream(path)) {
            return in.readNBytes(MOST_BYTES);
        } catch (IOException e) {
            return null;
        }
    }
}
