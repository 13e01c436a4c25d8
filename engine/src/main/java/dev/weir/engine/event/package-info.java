/** Events, and what receives them: listeners, alerts, webhooks. */
@NullMarked
package dev.weir.engine.event;

import org.jspecify.annotations.NullMarked;
