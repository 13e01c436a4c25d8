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
 * The HTTP/1 decoder of Vert.x with two additional bounds: on the number of header lines of a request, each of which
 * costs a multiple of its bytes, and on the memory of incomplete headers.
 */
public final class BoundedDecoder extends VertxHttpRequestDecoder {
    public static final int MAX_HEADERS = 128;

    private final MemoryBudget memory;
    private final long headCost;
    /** Number of lines in the header or trailer that is being read. */
    private int headers;
    /** Whether a request has begun whose header is incomplete. */
    private boolean hasBegun;

    private boolean holds;

    /** Memory bound for incomplete headers. */
    public interface MemoryBudget {
        /** Reserves bytes; returns false if the bound would be exceeded. */
        boolean tryHold(long bytes);

        void release(long bytes);

        /** Returns the response to write then, before the connection closes. */
        ByteBuf refusal(ByteBufAllocator memory);
    }

    public BoundedDecoder(HttpServerOptions options, MemoryBudget memory) {
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

    /** A header that is incomplete after a read counts until the next read. */
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

    /** The connection has become a WebSocket; nothing more is counted. */
    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        if (holds) {
            holds = false;
            memory.release(headCost);
        }
        super.handlerRemoved0(context);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The connection closes either way.
    private void refuse(ChannelHandlerContext context) {
        context.writeAndFlush(memory.refusal(context.alloc())).addListener(ChannelFutureListener.CLOSE);
    }
}
