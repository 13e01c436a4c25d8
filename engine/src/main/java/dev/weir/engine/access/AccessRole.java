package dev.weir.engine.access;

import dev.weir.engine.config.ConfigSpelling;

/** The permissions of a token of the server; the value of {@code role} in a token file. */
public enum AccessRole implements ConfigSpelling {
    /** Requests decisions: the data API. */
    DECIDE,
    /** Reads: the dashboard's data, subjects, events, metrics, settings. */
    READ,
    /** Reads, and changes single subjects: resets, overrides, exemptions. */
    OPERATE,
    /** All permissions. */
    ADMIN;

    /** Whether this role includes the permissions of the other. */
    public boolean covers(AccessRole needed) {
        return this == needed || this == ADMIN || (this == OPERATE && needed == READ);
    }

    @Override
    public String toString() {
        return text();
    }
}
