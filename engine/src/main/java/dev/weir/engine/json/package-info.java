/** Writes JSON: answers, events, settings and logs. */
@NullMarked
package dev.weir.engine.json;

import org.jspecify.annotations.NullMarked;
