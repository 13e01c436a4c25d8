package dev.weir.engine.config;

/** What a limit answers when its store cannot; the value of {@code on-store-failure}. */
public enum FailurePolicy implements Spelled {
    /** Refuse: the limit fails secure. */
    DENY,
    /** Let pass: the limit fails open. */
    ALLOW;

    @Override
    public String toString() {
        return text();
    }
}
