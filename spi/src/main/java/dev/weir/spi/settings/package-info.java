/** The settings that administrators change at run time, and their storage: overrides, exemptions, defaults. */
@NullMarked
package dev.weir.spi.settings;

import org.jspecify.annotations.NullMarked;
