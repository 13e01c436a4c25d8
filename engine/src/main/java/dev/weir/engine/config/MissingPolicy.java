package dev.weir.engine.config;

/** What a limit does with a request that it matches and that lacks an attribute of its key; the value of {@code on-missing}. */
public enum MissingPolicy {
    /** The limit does not apply to the request. */
    SKIP("skip"),
    /** The limit refuses the request. */
    DENY("deny");

    private final String text;

    MissingPolicy(String text) {
        this.text = text;
    }

    /** The name in a configuration: {@code skip}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
