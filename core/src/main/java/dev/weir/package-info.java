/** The model of the library: policies, keys, charges, readings, decisions, and the {@code Store} behind them. */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
