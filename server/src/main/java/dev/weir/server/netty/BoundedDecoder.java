package dev.weir.server.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * The HTTP/1 decoder of Vert.x, with two more bounds: on the lines of a request's header, each of which costs many times
 * its bytes, and on the memory of headers that have begun and not ended.
 */
public final class BoundedDecoder extends VertxHttpRequestDecoder {
    public static final int MAX_HEADERS = 128;

    private final Memory memory;
    private final long headCost;
    /** Lines of the header, or of the trailer, that is being read. */
    private int headers;
    /** Whether a request has begun whose header has not ended. */
    private boolean hasBegun;

    private boolean holds;

    /** Where headers are counted that have begun and not ended. */
    public interface Memory {
        /** False if there are too many. */
        boolean tryHold(long bytes);

        void release(long bytes);

        /** What to answer then, before the connection ends. */
        ByteBuf refusal(ByteBufAllocator memory);
    }

    public BoundedDecoder(HttpServerOptions options, Memory memory) {
        super(options);
        this.memory = memory;
        this.headCost = 2L * options.getMaxHeaderSize();
    }

    @Override
    protected HttpMessage createMessage(String[] initialLine) {
        headers = 0;
        hasBegun = true;
        return super.createMessage(initialLine);
    }

    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (++headers > MAX_HEADERS) {
            throw new TooLongHttpHeaderException("more than " + MAX_HEADERS + " headers");
        }
        return super.splitHeaderName(line, start, length);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        int before = out.size();
        super.decode(context, in, out);
        if (out.size() > before) {
            hasBegun = false;
            headers = 0;
        }
    }

    /** What a read has left undone waits for the next one, and counts meanwhile. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        boolean waits = hasBegun || actualReadableBytes() > 0;
        if (waits && !holds) {
            holds = memory.tryHold(headCost);
            if (!holds) {
                refuse(context);
                return;
            }
        } else if (!waits && holds) {
            holds = false;
            memory.release(headCost);
        }
        super.channelReadComplete(context);
    }

    /** The connection has become a WebSocket. */
    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        if (holds) {
            holds = false;
            memory.release(headCost);
        }
        super.handlerRemoved0(context);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The connection ends either way.
    private void refuse(ChannelHandlerContext context) {
        context.writeAndFlush(memory.refusal(context.alloc())).addListener(ChannelFutureListener.CLOSE);
    }
}
