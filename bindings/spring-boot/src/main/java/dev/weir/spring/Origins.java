package dev.weir.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.io.Resource;

/** Where a property was written. */
final class Origins {
    private Origins() {}

    /** The place in a file; null if it is in none, as of the environment. */
    static @Nullable TextResourceOrigin file(@Nullable Origin origin) {
        Origin inner = origin instanceof PropertySourceOrigin source ? source.getOrigin() : origin;
        return inner instanceof TextResourceOrigin text && text.getLocation() != null ? text : null;
    }

    /** How a message calls the file. */
    static String name(TextResourceOrigin origin) {
        Resource resource = origin.getResource();
        if (resource == null) {
            return "application";
        }
        String file = resource.getFilename();
        return file == null ? resource.getDescription() : file;
    }
}
