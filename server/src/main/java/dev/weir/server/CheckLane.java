package dev.weir.server;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
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
 * The short way of a check over HTTP/1.1: it is answered where its bytes are decoded, before Vert.x makes a request of
 * it, which is most of what a check costs.
 *
 * <p>Sits in a connection's pipeline between the HTTP codec and Vert.x. Plain {@code POST /v1/check} that may have an
 * answer is answered here; everything else goes on, and so does a check while Vert.x still owes an answer, so that answers keep the order of their
 * requests. While a store that is elsewhere is thinking, or the client does not read its answers, what comes is held and
 * nothing more is read. Belongs to its connection's event loop; a WebSocket does without.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A pipeline tells of failed writes by an event, which Vert.x hears.
final class CheckLane extends ChannelDuplexHandler {
    private static final String PATH = "/v1/check";
    /** What a body on its way costs beside its bytes. */
    private static final int BODY_COST = 1024;

    private final Node node;
    private final Connections.Watched connection;
    private final Access.Remembered access;
    /** Where bytes enter the pipeline that are encoded already. */
    private final ChannelHandlerContext encoded;

    private State state = State.OPEN;
    /** Requests that went on to Vert.x and have no answer yet. */
    private int owedByVertx;
    /** The part of a body that is here; null if none. */
    private @Nullable ByteBuf body;
    /** What the connection holds for it. */
    private long heldBytes;

    private final Connections.PendingBody pending = new Connections.PendingBody();
    /** What came while the store was thinking or the client was not reading: no more than one read of the socket. */
    private final Deque<Object> held = new ArrayDeque<>(0);
    /** Who wants the connection closed, as soon as the answer is out. */
    private @Nullable ChannelPromise closing;

    private boolean needsFlush;
    /** Whether reading has stopped because of this lane, and not because of Vert.x. */
    private boolean hasStoppedReading;
    /** Whether the connection ends with the request that went to Vert.x last; what follows it is not heard. */
    private boolean isLast;

    private enum State {
        /** Between requests, as far as this lane is concerned. */
        OPEN,
        /** A check's body is on its way. */
        READING,
        /** The store is thinking. */
        DECIDING,
        /** The last answer is out; what still comes is thrown away. */
        ENDED
    }

    CheckLane(Node node, Connections.Watched connection, ChannelHandlerContext encoded) {
        this.node = node;
        this.connection = connection;
        this.access = node.access.new Remembered();
        this.encoded = encoded;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (held.isEmpty() && mayGoOn(context)) {
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

    private boolean mayGoOn(ChannelHandlerContext context) {
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
     * Takes up what was held, as far as it may go on. Reads again first: what Vert.x hears now may be more than it can
     * take, and then it is Vert.x that stops reading.
     */
    private void resume(ChannelHandlerContext context) {
        boolean wasHeld = !held.isEmpty();
        readAgain(context);
        while (!held.isEmpty() && mayGoOn(context)) {
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

    /** Notices when Vert.x has answered. */
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
        if (!held.isEmpty() && mayGoOn(context)) {
            // Not at once: this may be amid a flush.
            context.executor().execute(() -> resume(context));
        }
        context.fireChannelWritabilityChanged();
    }

    /** A check that is being decided is answered first. */
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

    /** The connection has become a WebSocket; what was held are its frames. */
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
                && staysOpen(headers)
                && (announced == null || isSmall(announced));
    }

    private static boolean staysOpen(HttpHeaders headers) {
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
                end(context, Problem.badRequest("this is not HTTP"), null);
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

    /** A buffer that grows has up to twice the room. */
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
            say(context, Problem.caused(e), null);
            return;
        }
        if (answer.isDone()) {
            say(context, answer);
            return;
        }
        state = State.DECIDING;
        stopReading(context);
        answer.whenDone((outcome, failure) -> context.executor().execute(() -> decided(context, answer)));
    }

    /** Says it, then takes up what was held meanwhile. */
    private void decided(ChannelHandlerContext context, Answer<Outcome> answer) {
        if (state != State.DECIDING) {
            return;
        }
        state = State.OPEN;
        say(context, answer);
        if (closing != null) {
            encoded.flush();
            context.close(closing);
            return;
        }
        resume(context);
    }

    private void say(ChannelHandlerContext context, Answer<Outcome> answer) {
        Outcome outcome;
        ByteBuf bytes;
        try {
            outcome = answer.now();
            bytes = CheckAnswer.of(outcome, connection.scratch(), context.alloc());
        } catch (StoreException e) {
            say(context, Exchange.unreachable(), Exchange.UNREACHABLE_WAIT);
            return;
        } catch (RuntimeException e) {
            say(context, Problem.caused(e), null);
            return;
        }
        node.count(outcome.allowed() ? 200 : 429);
        write(bytes);
    }

    private void say(ChannelHandlerContext context, Problem problem, @Nullable String retryAfter) {
        node.count(problem.status());
        write(CheckAnswer.of(problem, retryAfter, false, context.alloc()));
    }

    private void write(ByteBuf bytes) {
        encoded.write(bytes, encoded.voidPromise());
        needsFlush = true;
    }

    /** The last answer of this connection. */
    private void end(ChannelHandlerContext context, Problem problem, @Nullable String retryAfter) {
        state = State.ENDED;
        connection.bodyEnds(pending);
        dropBody();
        node.count(problem.status());
        encoded.writeAndFlush(CheckAnswer.of(problem, retryAfter, true, context.alloc()))
                .addListener(ChannelFutureListener.CLOSE);
    }
}
