package dev.weir.release;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** The source tree that contains the tests. */
final class SourceTree {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private SourceTree() {}

    static Modules modules() {
        try {
            return Modules.in(ROOT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
