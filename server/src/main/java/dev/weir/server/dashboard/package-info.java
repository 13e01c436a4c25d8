/** The data of the dashboard: recent events, counts over time, the subjects seen, and the streams of them. */
@NullMarked
package dev.weir.server.dashboard;

import org.jspecify.annotations.NullMarked;
