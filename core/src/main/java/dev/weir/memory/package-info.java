/** The in-process store: counts in memory, without locks or allocation on the fast path. */
@NullMarked
package dev.weir.memory;

import org.jspecify.annotations.NullMarked;
