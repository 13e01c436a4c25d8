package dev.weir.spring.servlet;

import dev.weir.binding.servlet.WeirFilter;

/** Has a say in how the filter is made: a bean of this type adds attributes, or answers refused requests in another way. */
@FunctionalInterface
public interface WeirFilterCustomizer {

    /** Called after what the properties say, in the order of the beans. */
    void customize(WeirFilter.Builder filter);
}
