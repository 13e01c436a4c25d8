package dev.weir.spring;

/** Thrown when Weir is set up incorrectly. It describes how to fix that. */
public final class SetupException extends IllegalStateException {
    private final String action;

    /** @param action how to fix it */
    public SetupException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** How to fix it. */
    public String action() {
        return action;
    }
}
