package dev.weir.server.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

/**
 * Gives each frame memory of its own, from the heap. Vert.x holds frames back while nobody reads their answers, and forgets
 * to release them when the connection ends; of the pool's memory each such connection would take some away for good.
 */
final class OwnFrames extends ChannelInboundHandlerAdapter {
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
