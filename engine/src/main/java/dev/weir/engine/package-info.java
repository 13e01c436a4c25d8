/** From a request's attributes to a decision: which limits apply, to whom, at what price. */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
