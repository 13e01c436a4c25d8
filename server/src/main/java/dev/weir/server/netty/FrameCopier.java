package dev.weir.server.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

/**
 * Copies each frame to its own heap buffer. Vert.x pauses frames while a client does not read its responses, and does
 * not release them when the connection ends. With pooled buffers each such connection would leak memory.
 */
final class FrameCopier extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof WebSocketFrame frame)) {
            context.fireChannelRead(message);
            return;
        }
        try {
            context.fireChannelRead(frame.replace(Unpooled.copiedBuffer(frame.content())));
        } finally {
            frame.release();
        }
    }
}
