/** Determines the address of a client behind proxies. */
@NullMarked
package dev.weir.engine.address;

import org.jspecify.annotations.NullMarked;
