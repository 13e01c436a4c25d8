package dev.weir.server.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Drops pings while the peer does not read: Vert.x replies to each one, and the replies would pile up. A peer that
 * reads gets replies to its later pings, which is all that RFC 6455 requires (5.5.3).
 */
final class PingBackpressure extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof PingWebSocketFrame && !context.channel().isWritable()) {
            ReferenceCountUtil.release(message);
        } else {
            context.fireChannelRead(message);
        }
    }
}
