/** Spring's WebSockets: slots acquired at the handshake, messages in the pipeline, and limits on STOMP frames. */
@NullMarked
package dev.weir.spring.websocket;

import org.jspecify.annotations.NullMarked;
