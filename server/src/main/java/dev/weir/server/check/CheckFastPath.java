package dev.weir.server.check;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.server.http.Access;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.FatalErrors;
import dev.weir.server.http.Framing;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.ServerState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Netty handler that responds to checks over HTTP/1.1 directly after decoding, before Vert.x creates a request object.
 * That object is most of what a check costs.
 *
 * <p>The handler sits in a connection's pipeline between the HTTP codec and Vert.x. It takes plain requests of
 * {@code POST /v1/check} and passes all others on to Vert.x. It also passes a check on while Vert.x has a response
 * pending, so that responses keep the order of their requests. While a remote store decides, or the client does not
 * read its responses, the handler queues messages and reads no more from the socket. All calls happen on the
 * connection's event loop. A connection that becomes a WebSocket removes the handler.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline reports failed writes as an event, which Vert.x handles.
public final class CheckFastPath extends ChannelDuplexHandler {
    /*
     * Implementation notes. Every method runs on the connection's event loop, so no field needs a lock. A store may
     * complete a decision on another thread; that thread only schedules decided() on the event loop.
     *
     * States and transitions:
     *   OPEN     -> READING   begin(): a plain check, no response of Vert.x pending, access granted
     *   OPEN     -> ENDED     begin(): a request after the one that ends the connection
     *   READING  -> OPEN      read(): the body is complete; decide() writes the response if the decision is complete
     *   OPEN     -> DECIDING  decide(): the decision is pending (follows READING -> OPEN in the same call)
     *   READING  -> ENDED     end(): the body is malformed, too large or over the memory bound
     *   DECIDING -> OPEN      decided(): writes the response, then resumes with queued messages
     *   any      -> ENDED     channelInactive(); a later decided() finds the state ENDED and does nothing
     *
     * Order of responses: a check enters this path only if owedByVertx is 0, and nothing reaches Vert.x while a
     * decision is pending because all messages are queued in `held`. So only one side has responses pending at any
     * time. owedByVertx counts requests passed on; write() decrements it at the end of each final response.
     *
     * Backpressure: messages are queued while the state is DECIDING or the channel is not writable. Queueing turns
     * automatic reading off, so `held` has at most the messages of one socket read. hasStoppedReading records that this
     * handler turned it off; otherwise it would undo a pause that Vert.x asked for.
     *
     * Memory: an incomplete body counts towards the connection's bound, with twice its size because its buffer grows.
     * dropBody() releases both. close() waits for a pending decision, so that a shutdown loses no response.
     */
    private static final String PATH = "/v1/check";
    /** Estimated heap cost of an incomplete body in addition to its bytes, in bytes. */
    private static final int BODY_COST = 1024;

    private final ServerState node;
    private final Connections.Watched connection;
    private final Access.CachedAccess access;
    /** Context at which already encoded bytes enter the pipeline. */
    private final ChannelHandlerContext encoded;

    private State state = State.OPEN;
    /** Number of requests passed to Vert.x whose response is not complete. */
    private int owedByVertx;
    /** The part of the body received so far; null if none. */
    private @Nullable ByteBuf body;
    /** Bytes counted towards the connection's memory bound for {@link #body}. */
    private long heldBytes;

    private final Connections.PendingBody pending = new Connections.PendingBody();
    /** Messages received while a decision was pending or the client did not read; at most those of one socket read. */
    private final Deque<Object> held = new ArrayDeque<>(0);
    /** Promise of a close that waits for the pending response; null if none. */
    private @Nullable ChannelPromise closing;

    private boolean needsFlush;
    /** Whether this handler, and not Vert.x, turned automatic reading off. */
    private boolean hasStoppedReading;
    /** Whether the connection ends with the request last passed to Vert.x. Later requests are dropped. */
    private boolean isLast;

    private enum State {
        /** No check in this handler; Vert.x may have responses pending. */
        OPEN,
        /** The body of a check is incomplete. */
        READING,
        /** The decision of the store is pending. */
        DECIDING,
        /** The last response is written; further messages are dropped. */
        ENDED
    }

    public CheckFastPath(ServerState node, Connections.Watched connection, ChannelHandlerContext encoded) {
        this.node = node;
        this.connection = connection;
        this.access = node.access.new CachedAccess();
        this.encoded = encoded;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (held.isEmpty() && canProcessNext(context)) {
            handle(context, message);
            return;
        }
        if (context.channel().isActive()) {
            held.add(message);
            stopReading(context);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private boolean canProcessNext(ChannelHandlerContext context) {
        return state != State.DECIDING && context.channel().isWritable();
    }

    private void handle(ChannelHandlerContext context, Object message) {
        switch (state) {
            case OPEN, DECIDING -> {
                if (message instanceof HttpRequest request) {
                    begin(context, request);
                } else {
                    context.fireChannelRead(message);
                }
            }
            case READING -> read(context, (HttpContent) message);
            case ENDED -> ReferenceCountUtil.release(message);
        }
    }

    /**
     * Processes queued messages until the channel is busy again. It turns reading on first: Vert.x may turn it off
     * again while it handles these messages, and that must take precedence.
     */
    private void resume(ChannelHandlerContext context) {
        boolean wasHeld = !held.isEmpty();
        readAgain(context);
        while (!held.isEmpty() && canProcessNext(context)) {
            handle(context, held.poll());
        }
        if (!held.isEmpty()) {
            stopReading(context);
        }
        if (wasHeld || needsFlush) {
            channelReadComplete(context);
        }
    }

    private void stopReading(ChannelHandlerContext context) {
        ChannelConfig config = context.channel().config();
        if (config.isAutoRead()) {
            hasStoppedReading = true;
            config.setAutoRead(false);
        }
    }

    private void readAgain(ChannelHandlerContext context) {
        if (hasStoppedReading) {
            hasStoppedReading = false;
            context.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (needsFlush) {
            needsFlush = false;
            encoded.flush();
        }
        context.fireChannelReadComplete();
    }

    /** Counts responses of Vert.x and removes this handler when the connection switches to WebSocket. */
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        boolean isInterim = message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        if (message instanceof LastHttpContent && !isInterim && owedByVertx > 0) {
            owedByVertx--;
        }
        if (message instanceof HttpResponse response
                && response.headers().contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true)) {
            isLast = true;
        }
        context.write(message, promise);
        if (isInterim && ((HttpResponse) message).status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
            context.pipeline().remove(this);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!held.isEmpty() && canProcessNext(context)) {
            // Scheduled, not called: this event may occur during a flush.
            context.executor().execute(() -> resume(context));
        }
        context.fireChannelWritabilityChanged();
    }

    /** Closes after the response of a pending decision. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (state == State.DECIDING && context.channel().isActive()) {
            if (closing == null) {
                closing = promise;
            } else {
                closing.addListener(closed -> context.close(promise));
            }
        } else {
            context.close(promise);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        state = State.ENDED;
        dropBody();
        held.forEach(ReferenceCountUtil::release);
        held.clear();
        if (closing != null) {
            closing.trySuccess();
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        FatalErrors.check(cause);
        context.fireExceptionCaught(cause);
    }

    /** The connection has become a WebSocket; queued messages are its frames and are passed on. */
    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        while (!held.isEmpty()) {
            context.fireChannelRead(held.poll());
        }
        readAgain(context);
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        if (isLast) {
            state = State.ENDED;
            ReferenceCountUtil.release(request);
            return;
        }
        Framing.check(request);
        if (owedByVertx == 0 && isPlainCheck(request) && access.mayCheck(request.headers())) {
            state = State.READING;
            connection.request();
            connection.awaitBody(pending);
        } else {
            isLast = request.decoderResult().isFailure() || !HttpUtil.isKeepAlive(request);
            owedByVertx++;
            context.fireChannelRead(request);
        }
    }

    private static boolean isPlainCheck(HttpRequest request) {
        if (!request.uri().equals(PATH)
                || !request.method().equals(HttpMethod.POST)
                || !request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                || request.decoderResult().isFailure()) {
            return false;
        }
        HttpHeaders headers = request.headers();
        String announced = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        return !headers.contains(HttpHeaderNames.EXPECT)
                && keepsAlive(headers)
                && (announced == null || isSmall(announced));
    }

    private static boolean keepsAlive(HttpHeaders headers) {
        String first = headers.get(HttpHeaderNames.CONNECTION);
        return first == null
                || (HttpHeaderValues.KEEP_ALIVE.contentEqualsIgnoreCase(first)
                        && headers.getAll(HttpHeaderNames.CONNECTION).size() == 1);
    }

    private static boolean isSmall(String length) {
        int value = 0;
        for (int i = 0; i < length.length(); i++) {
            char c = length.charAt(i);
            value = value * 10 + c - '0';
            if (c < '0' || c > '9' || value > Exchange.MAX_BODY) {
                return false;
            }
        }
        return true;
    }

    private void read(ChannelHandlerContext context, HttpContent content) {
        try {
            ByteBuf chunk = content.content();
            int length = chunk.readableBytes() + (body == null ? 0 : body.readableBytes());
            if (content.decoderResult().isFailure()) {
                end(context, ProblemException.badRequest("this is not HTTP"), null);
            } else if (length > Exchange.MAX_BODY) {
                end(context, Exchange.tooLarge(), null);
            } else if (!(content instanceof LastHttpContent)) {
                if (hold(chunk.readableBytes())) {
                    keep(chunk, length);
                } else {
                    end(context, Exchange.busy(), Exchange.BUSY_WAIT);
                }
            } else {
                byte[] bytes = body == null ? ByteBufUtil.getBytes(chunk) : ByteBufUtil.getBytes(keep(chunk, length));
                dropBody();
                state = State.OPEN;
                connection.bodyEnds(pending);
                decide(context, bytes);
            }
        } finally {
            content.release();
        }
    }

    /** Counts twice the chunk's size, because a growing buffer has up to twice the capacity. */
    private boolean hold(int chunkBytes) {
        long bytes = (body == null ? BODY_COST : 0) + 2L * chunkBytes;
        boolean isHeld = connection.tryHold(bytes);
        heldBytes += isHeld ? bytes : 0;
        return isHeld;
    }

    private ByteBuf keep(ByteBuf chunk, int length) {
        ByteBuf all = body == null ? Unpooled.buffer(length) : body;
        body = all;
        return all.writeBytes(chunk);
    }

    private void dropBody() {
        if (body != null) {
            body.release();
            body = null;
        }
        connection.release(heldBytes);
        heldBytes = 0;
    }

    private void decide(ChannelHandlerContext context, byte[] bytes) {
        Answer<Outcome> answer;
        try {
            answer = node.weir.checkAsync(
                    CheckBody.read(bytes, CheckBody.Kind.CHECK).request());
        } catch (RuntimeException e) {
            respond(context, ProblemException.caused(e), null);
            return;
        }
        if (answer.isDone()) {
            respond(context, answer);
            return;
        }
        state = State.DECIDING;
        stopReading(context);
        answer.whenDone((outcome, failure) -> context.executor().execute(() -> decided(context, answer)));
    }

    /** Writes the response, then processes messages queued in the meantime. */
    private void decided(ChannelHandlerContext context, Answer<Outcome> answer) {
        if (state != State.DECIDING) {
            return;
        }
        state = State.OPEN;
        respond(context, answer);
        if (closing != null) {
            encoded.flush();
            context.close(closing);
            return;
        }
        resume(context);
    }

    private void respond(ChannelHandlerContext context, Answer<Outcome> answer) {
        Outcome outcome;
        ByteBuf bytes;
        try {
            outcome = answer.now();
            bytes = CheckAnswer.of(outcome, connection.scratch(), context.alloc());
        } catch (StoreException e) {
            respond(context, Exchange.unreachable(), Exchange.UNREACHABLE_WAIT);
            return;
        } catch (RuntimeException e) {
            respond(context, ProblemException.caused(e), null);
            return;
        }
        node.count(outcome.allowed() ? 200 : 429);
        write(bytes);
    }

    private void respond(ChannelHandlerContext context, ProblemException problem, @Nullable String retryAfter) {
        node.count(problem.status());
        write(CheckAnswer.of(problem, retryAfter, false, context.alloc()));
    }

    private void write(ByteBuf bytes) {
        encoded.write(bytes, encoded.voidPromise());
        needsFlush = true;
    }

    /** Writes the last response of this connection, then closes it. */
    private void end(ChannelHandlerContext context, ProblemException problem, @Nullable String retryAfter) {
        state = State.ENDED;
        connection.bodyEnds(pending);
        dropBody();
        node.count(problem.status());
        encoded.writeAndFlush(CheckAnswer.of(problem, retryAfter, true, context.alloc()))
                .addListener(ChannelFutureListener.CLOSE);
    }
}
