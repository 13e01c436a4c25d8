/** What happened, told to whoever listens: events, alerts, webhooks. */
@NullMarked
package dev.weir.engine.event;

import org.jspecify.annotations.NullMarked;
