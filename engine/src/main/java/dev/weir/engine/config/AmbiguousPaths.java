package dev.weir.engine.config;

/** What happens to a request whose path servers read differently; the value of {@code paths.ambiguous}. */
public enum AmbiguousPaths {
    /** Every limit applies that one of its readings matches. */
    COUNT_ALL("count-all"),
    /** The request is refused as malformed. */
    REFUSE("refuse");

    private final String text;

    AmbiguousPaths(String text) {
        this.text = text;
    }

    /** The name in a configuration: {@code count-all}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
