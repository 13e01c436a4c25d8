/** The way of a WebSocket message past its limits, without a framework, and adapters for a few. */
@NullMarked
package dev.weir.binding.websocket;

import org.jspecify.annotations.NullMarked;
