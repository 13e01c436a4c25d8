package dev.weir.server.check;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.FixedHeaders;
import dev.weir.server.http.ProblemException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the response to a check as bytes of HTTP/1.1, in one buffer. Constant parts are copied; the rest is inserted.
 *
 * <p>The content equals that of {@link Exchange}, which serves the other routes and HTTP/2.
 */
public final class CheckAnswer {
    private static final byte[] ALLOWED = bytes(FixedHeaders.head(200, FixedHeaders.JSON_TYPE));
    private static final byte[] DENIED = bytes(FixedHeaders.head(429, FixedHeaders.JSON_TYPE));
    private static final byte[] LENGTH = bytes("content-length: ");
    private static final byte[] CLOSE = bytes("connection: close\r\n");
    private static final int MOST_DIGITS = 20;

    private final ByteBuf out;

    private CheckAnswer(ByteBuf out) {
        this.out = out;
    }

    /**
     * Encodes a decision.
     *
     * @param document buffer for the JSON document; its content is overwritten
     */
    public static ByteBuf of(Outcome outcome, Json document, ByteBufAllocator memory) {
        long nowMillis = System.currentTimeMillis();
        byte[] fixed = HttpDecision.status(outcome) == HttpDecision.ALLOWED ? ALLOWED : DENIED;
        HttpDecision.members(document.again().open('{'), outcome, nowMillis);
        document.close('}');
        CheckAnswer answer = new CheckAnswer(memory.ioBuffer(fixed.length + document.length() + 512));
        answer.out.writeBytes(fixed);
        HttpDecision.headers(outcome, nowMillis, answer::header);
        return answer.end(document.array(), document.length());
    }

    /**
     * Encodes a problem.
     *
     * @param retryAfter in seconds; null for no {@code Retry-After} header
     * @param closes whether it is the connection's last response
     */
    public static ByteBuf of(
            ProblemException problem, @Nullable String retryAfter, boolean closes, ByteBufAllocator memory) {
        byte[] document = problem.document();
        CheckAnswer answer = new CheckAnswer(memory.ioBuffer(document.length + 512));
        answer.out.writeBytes(bytes(FixedHeaders.head(problem.status(), FixedHeaders.PROBLEM_TYPE)));
        if (retryAfter != null) {
            answer.header(HeaderName.RETRY_AFTER, retryAfter);
        }
        if (closes) {
            answer.out.writeBytes(CLOSE);
        }
        return answer.end(document, document.length);
    }

    private ByteBuf end(byte[] document, int length) {
        out.writeBytes(LENGTH);
        number(length);
        newLine();
        newLine();
        return out.writeBytes(document, 0, length);
    }

    private void header(String name, String value) {
        plain(name);
        out.writeShort(':' << 8 | ' ');
        plain(value);
        newLine();
    }

    /** Writes printable ASCII only, so that no value can end its header line. */
    private void plain(String text) {
        int length = text.length();
        out.ensureWritable(length);
        int at = out.writerIndex();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            out.setByte(at + i, c >= ' ' && c < 0x7f ? c : '?');
        }
        out.writerIndex(at + length);
    }

    private void number(int value) {
        byte[] digits = new byte[MOST_DIGITS];
        int at = MOST_DIGITS;
        int rest = value;
        do {
            digits[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        out.writeBytes(digits, at, MOST_DIGITS - at);
    }

    private void newLine() {
        out.writeShort('\r' << 8 | '\n');
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
