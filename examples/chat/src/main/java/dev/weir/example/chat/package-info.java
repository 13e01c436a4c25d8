/** An example that embeds the WebSocket pipeline: a chat with rooms. */
@NullMarked
package dev.weir.example.chat;

import org.jspecify.annotations.NullMarked;
