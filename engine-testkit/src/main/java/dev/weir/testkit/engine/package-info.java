/** What a store and its settings must pass below the engine. */
@NullMarked
package dev.weir.testkit.engine;

import org.jspecify.annotations.NullMarked;
