/** Checks of published artifacts: the staged bundle, the API of each module, and the blocking calls of its classes. */
@NullMarked
package dev.weir.release;

import org.jspecify.annotations.NullMarked;
