package dev.weir.engine.config;

/** What a limit answers when its store cannot; the value of {@code on-store-failure}. */
public enum FailurePolicy {
    /** Refuse: the limit fails secure. */
    DENY("deny"),
    /** Let pass: the limit fails open. */
    ALLOW("allow");

    private final String text;

    FailurePolicy(String text) {
        this.text = text;
    }

    /** The name in a configuration: {@code deny}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
