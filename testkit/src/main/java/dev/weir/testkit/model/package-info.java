/**
 * A reference model of a store: it computes every result from the definitions, in big integers, without optimizations.
 */
@NullMarked
package dev.weir.testkit.model;

import org.jspecify.annotations.NullMarked;
