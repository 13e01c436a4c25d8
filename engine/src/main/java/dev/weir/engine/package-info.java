/** Decides requests by their attributes: which limits apply, to which keys, at what cost. */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
