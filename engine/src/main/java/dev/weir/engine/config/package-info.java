/** The configuration file: read with positions, checked as a whole, turned into values. */
@NullMarked
package dev.weir.engine.config;

import org.jspecify.annotations.NullMarked;
