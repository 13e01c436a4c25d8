/** An application that embeds the WebSocket pipeline: people talk in rooms. */
@NullMarked
package dev.weir.example.chat;

import org.jspecify.annotations.NullMarked;
