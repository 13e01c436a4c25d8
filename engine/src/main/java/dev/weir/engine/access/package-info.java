/** The tokens of operators and callers, their roles, and the reader of the token file. */
@NullMarked
package dev.weir.engine.access;

import org.jspecify.annotations.NullMarked;
