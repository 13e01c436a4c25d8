package dev.weir.server.envoy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of Envoy's rate limit service: one file, or every {@code .yaml} and {@code .yml} file of a directory in the
 * order of their names.
 */
final class EnvoyFiles {
    private final Path path;

    EnvoyFiles(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /** The content of a file, or why it cannot be read. */
    static final class Content {
        private final String name;
        private final byte[] bytes;
        private final @Nullable IOException failure;

        Content(String name, byte[] bytes) {
            this.name = name;
            this.bytes = bytes;
            this.failure = null;
        }

        Content(String name, IOException failure) {
            this.name = name;
            this.bytes = new byte[0];
            this.failure = failure;
        }

        String name() {
            return name;
        }

        byte[] bytes() {
            return bytes;
        }

        /** Why the file cannot be read; null if it can. */
        @Nullable
        IOException failure() {
            return failure;
        }

        boolean isSame(Content other) {
            return name.equals(other.name)
                    && Arrays.equals(bytes, other.bytes)
                    && (failure == null) == (other.failure == null);
        }
    }

    /** Whether two readings found the same files with the same bytes. */
    static boolean areSame(List<Content> one, List<Content> other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < one.size(); i++) {
            if (!one.get(i).isSame(other.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Reads all files. A directory without any is reported as a fault, too. */
    List<Content> read() {
        if (!Files.isDirectory(path)) {
            return List.of(read(path));
        }
        List<Path> files;
        try (Stream<Path> found = Files.list(path)) {
            files = found.filter(EnvoyFiles::isConfiguration).sorted().toList();
        } catch (IOException e) {
            return List.of(new Content(path.toString(), e));
        }
        if (files.isEmpty()) {
            return List.of(
                    new Content(path.toString(), new IOException("there is no .yaml or .yml file in this directory")));
        }
        List<Content> contents = new ArrayList<>();
        for (Path file : files) {
            contents.add(read(file));
        }
        return contents;
    }

    private static boolean isConfiguration(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml")) && Files.isRegularFile(file);
    }

    private static Content read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return new Content(file.toString(), in.readNBytes(EnvoyConfigurationReader.LARGEST + 1));
        } catch (NoSuchFileException e) {
            return new Content(file.toString(), new IOException("there is no such file", e));
        } catch (IOException e) {
            return new Content(file.toString(), e);
        }
    }
}
