package dev.weir.engine.config;

import java.util.Locale;

/** A constant as a configuration spells it: in lower case, with hyphens. */
public interface ConfigSpelling {
    String name();

    /** The name in a configuration: {@code token-bucket}. */
    default String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
