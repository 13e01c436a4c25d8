package dev.weir.server.http;

import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Checks for HTTP/1 requests that the decoder accepts although their end or their host is ambiguous. A proxy in front
 * may see another end and take the rest for another client's request (RFC 9112, 3.2 and 6.1).
 */
public final class Framing {
    private Framing() {}

    /** Marks an ambiguous request as one that could not be decoded. */
    public static void check(HttpRequest request) {
        ProblemException doubt = request.decoderResult().isFailure() ? codingDoubt(request) : doubt(request);
        if (doubt != null) {
            request.setDecoderResult(DecoderResult.failure(doubt));
        }
    }

    private static @Nullable ProblemException doubt(HttpRequest request) {
        HttpHeaders headers = request.headers();
        boolean isNew = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        Iterator<? extends CharSequence> hosts = headers.valueCharSequenceIterator(HttpHeaderNames.HOST);
        boolean hasHost = hosts.hasNext();
        if (hasHost) {
            hosts.next();
        }
        if ((isNew && !hasHost) || hosts.hasNext()) {
            return ProblemException.badField("Host", "a request must have one Host header");
        }
        return codingDoubt(request);
    }

    /** The decoder refuses some of these itself, without naming the field. */
    private static @Nullable ProblemException codingDoubt(HttpRequest request) {
        HttpHeaders headers = request.headers();
        boolean isNew = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        Iterator<? extends CharSequence> codings = headers.valueCharSequenceIterator(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.hasNext()
                && (!isNew || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.next()) || codings.hasNext())) {
            return ProblemException.badField("Transfer-Encoding", "the only transfer encoding is chunked, of HTTP/1.1");
        }
        return null;
    }
}
