/** What administrators change at run time, and where it is kept: overrides, exemptions, defaults. */
@NullMarked
package dev.weir.spi.settings;

import org.jspecify.annotations.NullMarked;
