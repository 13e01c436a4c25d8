/** The configuration file: parsed with locations, validated completely, converted to values. */
@NullMarked
package dev.weir.engine.config;

import org.jspecify.annotations.NullMarked;
