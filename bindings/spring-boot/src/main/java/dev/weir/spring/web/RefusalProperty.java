package dev.weir.spring.web;

import dev.weir.spring.SetupException;
import dev.weir.spring.WeirProperties;
import java.util.Objects;
import java.util.function.BiFunction;

/** Reads {@code weir.refusal}. */
public final class RefusalProperty {
    private RefusalProperty() {}

    /**
     * Creates the refusal that the properties define.
     *
     * @param make takes the content type and the body's template
     * @throws SetupException if the body is not valid
     */
    public static <T> T of(WeirProperties.Refusal refusal, BiFunction<String, String, T> make) {
        try {
            return make.apply(refusal.type(), Objects.requireNonNull(refusal.body(), "body"));
        } catch (IllegalArgumentException e) {
            throw new SetupException(
                    "weir.refusal: " + e.getMessage(),
                    "Correct weir.refusal.body, or set weir.refusal.content-type, such as text/plain;charset=UTF-8.");
        }
    }
}
