/** Spring's WebSockets: slots taken at the handshake, messages through the pipeline, STOMP frames by the limits. */
@NullMarked
package dev.weir.spring.websocket;

import org.jspecify.annotations.NullMarked;
