package dev.weir.spi.settings;

/**
 * The subject of a setting: every client whose {@code attribute} has this {@code value}, such as {@code agent=a1}.
 *
 * <p>It may identify a person, so {@link #toString()} shows the attribute alone.
 */
public record Subject(String attribute, String value) {
    public Subject {
        Bounds.name("attribute", attribute);
        Bounds.value("value", value);
    }

    @Override
    public String toString() {
        return "Subject[" + attribute + "]";
    }
}
