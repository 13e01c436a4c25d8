package dev.weir.engine.config;

/** What a token of the server may do; the value of {@code role} in a token file. */
public enum AccessRole {
    /** Asks for decisions: the data API. */
    DECIDE("decide"),
    /** Looks: the dashboard's data, subjects, events, metrics, settings. */
    READ("read"),
    /** Looks, and helps single subjects: resets, overrides, exemptions. */
    OPERATE("operate"),
    /** Everything. */
    ADMIN("admin");

    private final String text;

    AccessRole(String text) {
        this.text = text;
    }

    /** Whether a token of this role may do what needs the other. */
    public boolean covers(AccessRole needed) {
        return this == needed || this == ADMIN || (this == OPERATE && needed == READ);
    }

    /** The name in a token file: {@code decide}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
