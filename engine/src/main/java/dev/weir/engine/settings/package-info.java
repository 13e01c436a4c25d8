/** Runtime settings, which administrators change while the system runs: overrides, exemptions, defaults. */
@NullMarked
package dev.weir.engine.settings;

import org.jspecify.annotations.NullMarked;
