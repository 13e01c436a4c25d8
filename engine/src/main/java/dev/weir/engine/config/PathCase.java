package dev.weir.engine.config;

/** Whether upper and lower case are told apart in paths; the value of {@code paths.case}. */
public enum PathCase implements Spelled {
    /** {@code /Login} is not {@code /login}. */
    SENSITIVE,
    /** {@code /Login} is {@code /login}, for applications that serve it as that. */
    INSENSITIVE;

    @Override
    public String toString() {
        return text();
    }
}
