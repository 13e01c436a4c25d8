/** Alerts and outages, from the events of the engine. Internal: {@link dev.weir.engine.Weir} is the API. */
@NullMarked
package dev.weir.engine.report;

import org.jspecify.annotations.NullMarked;
