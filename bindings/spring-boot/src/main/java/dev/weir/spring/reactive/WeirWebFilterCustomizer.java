package dev.weir.spring.reactive;

/** Has a say in how the filter of a reactive application is made: a bean of this type adds attributes, or skips requests. */
@FunctionalInterface
public interface WeirWebFilterCustomizer {

    /** Called after what the properties say, in the order of the beans. */
    void customize(WeirWebFilter.Builder filter);
}
