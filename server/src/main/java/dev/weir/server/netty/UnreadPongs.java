package dev.weir.server.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Lets pings go unheard while their sender does not read: Vert.x answers each one, and the answers would pile up. Who does
 * read has its later pings answered, which is all that RFC 6455 asks for (5.5.3).
 */
final class UnreadPongs extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof PingWebSocketFrame && !context.channel().isWritable()) {
            ReferenceCountUtil.release(message);
        } else {
            context.fireChannelRead(message);
        }
    }
}
