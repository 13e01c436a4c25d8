/** Checks of what is published: the staged bundle, the API of each module, and what its classes do. */
@NullMarked
package dev.weir.release;

import org.jspecify.annotations.NullMarked;
