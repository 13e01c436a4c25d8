/** The pipeline for WebSocket messages and their limits, independent of frameworks, and adapters for a few of them. */
@NullMarked
package dev.weir.binding.websocket;

import org.jspecify.annotations.NullMarked;
