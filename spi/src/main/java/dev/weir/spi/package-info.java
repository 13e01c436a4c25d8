/** What a store offers an engine, and how an engine finds and opens it. */
@NullMarked
package dev.weir.spi;

import org.jspecify.annotations.NullMarked;
