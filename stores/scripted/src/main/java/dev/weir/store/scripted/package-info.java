/**
 * The half of a store that asks a script: for stores whose backend decides whole requests by itself. It is theirs alone and
 * no public API; what it shows is what they build on.
 */
@NullMarked
package dev.weir.store.scripted;

import org.jspecify.annotations.NullMarked;
