/**
 * The client side of stores whose backend decides whole requests with a script. Internal: its public types are for
 * those stores only and no public API.
 */
@NullMarked
package dev.weir.store.scripted;

import org.jspecify.annotations.NullMarked;
