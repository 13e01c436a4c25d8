package dev.weir.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.io.Resource;

/** Finds where a property was defined. */
final class Origins {
    private Origins() {}

    /** Returns the location in a file; null if there is none, as for the environment. */
    static @Nullable TextResourceOrigin file(@Nullable Origin origin) {
        Origin inner = origin instanceof PropertySourceOrigin source ? source.getOrigin() : origin;
        return inner instanceof TextResourceOrigin text && text.getLocation() != null ? text : null;
    }

    /** Returns the name of the file for messages. */
    static String name(TextResourceOrigin origin) {
        Resource resource = origin.getResource();
        if (resource == null) {
            return "application";
        }
        String file = resource.getFilename();
        return file == null ? resource.getDescription() : file;
    }
}
