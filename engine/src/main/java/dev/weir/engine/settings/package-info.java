/** What administrators change at run time: overrides, exemptions, defaults. */
@NullMarked
package dev.weir.engine.settings;

import org.jspecify.annotations.NullMarked;
