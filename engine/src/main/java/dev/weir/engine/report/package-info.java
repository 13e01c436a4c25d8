/** Alerts and outages, from the events of the engine, and the use of limits, from its requests. Internal: {@link dev.weir.engine.Weir} is the API. */
@NullMarked
package dev.weir.engine.report;

import org.jspecify.annotations.NullMarked;
