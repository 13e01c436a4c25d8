package dev.weir.engine.config;

/** Whether upper and lower case are told apart in paths; the value of {@code paths.case}. */
public enum PathCase {
    /** {@code /Login} is not {@code /login}. */
    SENSITIVE("sensitive"),
    /** {@code /Login} is {@code /login}, for applications that serve it as that. */
    INSENSITIVE("insensitive");

    private final String text;

    PathCase(String text) {
        this.text = text;
    }

    /** The name in a configuration: {@code sensitive}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
