package dev.weir.engine.config;

/** Whether paths are compared case-sensitively; the value of {@code paths.case}. */
public enum PathCase implements ConfigSpelling {
    /** {@code /Login} is not {@code /login}. */
    SENSITIVE,
    /** {@code /Login} is {@code /login}, for applications that serve both alike. */
    INSENSITIVE;

    @Override
    public String toString() {
        return text();
    }
}
