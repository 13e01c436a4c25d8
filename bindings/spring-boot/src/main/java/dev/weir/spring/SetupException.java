package dev.weir.spring;

/** Weir is set up in a way that cannot work; it knows what to do about it. */
public final class SetupException extends IllegalStateException {
    private final String action;

    /** @param action what to do about it */
    public SetupException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
