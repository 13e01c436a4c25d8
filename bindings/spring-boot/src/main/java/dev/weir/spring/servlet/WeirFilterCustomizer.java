package dev.weir.spring.servlet;

import dev.weir.binding.servlet.WeirFilter;

/** Customizes the filter: a bean of this type adds attributes, or changes the response to refused requests. */
@FunctionalInterface
public interface WeirFilterCustomizer {

    /** Called after the properties are applied, in the order of the beans. */
    void customize(WeirFilter.Builder filter);
}
