/** Paths and other text from clients in one form, so that what is served is what is counted. Internal. */
@NullMarked
package dev.weir.engine.path;

import org.jspecify.annotations.NullMarked;
