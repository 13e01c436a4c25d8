/** The contracts of stores and settings below the engine. */
@NullMarked
package dev.weir.testkit.engine;

import org.jspecify.annotations.NullMarked;
