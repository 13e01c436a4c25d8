package dev.weir;

/** An argument that cannot be used, with its name. */
public final class ArgumentException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String field;

    public ArgumentException(String field, String message) {
        super(message);
        this.field = field;
    }

    /** The argument's name: {@code cost}, {@code attributes.user}. */
    public String field() {
        return field;
    }
}
