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
 * The file that a configuration came from, followed: what it becomes is handed on once it has stood still.
 *
 * <p>It is looked at twice a second, by its content: clocks and editors play tricks with anything else. A change counts
 * when two looks in a row see the same, so that a file that is just being written is not taken for a short one. A file
 * that is gone is not a change.
 */
final class ConfigurationFile implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 500;
    /** One more than a configuration may have: the reader says what is wrong with such a file. */
    private static final int MOST_BYTES = (1 << 20) + 1;

    private final Path path;
    private final ConfigurationReader reader;
    /** The content that was last handed on; guarded by this. */
    private byte[] known;
    /** The content that was seen once; guarded by this. */
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

    /** Reads it now, whether it changed or not. */
    synchronized ConfigurationReader.Result read() {
        byte[] content = content();
        if (content == null) {
            // The reader knows how to say why.
            return reader.read(path);
        }
        known = content;
        seen = null;
        return reader.read(name(), content);
    }

    /** Looks at it, and reads it if it changed and has stood still since the last look; null if there is nothing new. */
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

    /** Looks at it again and again, in a thread of its own. */
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
            // Closed.
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
