package dev.weir.engine.config;

/** What a token of the server may do; the value of {@code role} in a token file. */
public enum AccessRole implements Spelled {
    /** Asks for decisions: the data API. */
    DECIDE,
    /** Looks: the dashboard's data, subjects, events, metrics, settings. */
    READ,
    /** Looks, and helps single subjects: resets, overrides, exemptions. */
    OPERATE,
    /** Everything. */
    ADMIN;

    /** Whether a token of this role may do what needs the other. */
    public boolean covers(AccessRole needed) {
        return this == needed || this == ADMIN || (this == OPERATE && needed == READ);
    }

    @Override
    public String toString() {
        return text();
    }
}
