package dev.weir.spring.reactive;

/** Customizes the filter of a reactive application: a bean of this type adds attributes, or skips requests. */
@FunctionalInterface
public interface WeirWebFilterCustomizer {

    /** Called after the properties are applied, in the order of the beans. */
    void customize(WeirWebFilter.Builder filter);
}
