/** The interface between stores and the engine, and how an engine finds and opens a store. */
@NullMarked
package dev.weir.spi;

import org.jspecify.annotations.NullMarked;
