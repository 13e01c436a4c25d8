package dev.weir.engine.idempotency;

import dev.weir.spi.idempotency.ResponseStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A stored response, as bytes of a {@link ResponseStore}, for any framework.
 *
 * @param status such as 201
 * @param isError whether the framework was to make an error page of the status; on replay it is again
 * @param contentType null for none
 * @param headers those that the application set, in order; a name may repeat
 * @param body as it was sent
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
public record StoredResponse(
        int status, boolean isError, @Nullable String contentType, List<Header> headers, byte[] body) {
    /** The version of the binary format; no other version is read. */
    private static final int FORM = 1;

    private static final int MOST_HEADERS = 256;
    private static final int LONGEST_HEADERS = 48 * 1024;
    private static final int WITHHELD = 0;

    /** One header line. */
    public record Header(String name, String value) {}

    public StoredResponse {
        headers = List.copyOf(headers);
    }

    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length + 256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORM);
            out.writeShort(status);
            out.writeBoolean(isError);
            text(out, contentType == null ? "" : contentType);
            out.writeShort(headers.size());
            for (Header header : headers) {
                text(out, header.name);
                text(out, header.value);
            }
            out.writeInt(body.length);
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes a response.
     *
     * @throws IllegalArgumentException if the bytes are not those of a response
     */
    public static StoredResponse of(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readByte() != FORM) {
                throw new IllegalArgumentException("the stored response has an unknown format");
            }
            int status = in.readUnsignedShort();
            boolean isError = in.readBoolean();
            String contentType = text(in);
            int count = in.readUnsignedShort();
            if (count > MOST_HEADERS) {
                throw new IllegalArgumentException("the stored response has " + count + " headers");
            }
            List<Header> headers = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                headers.add(new Header(text(in), text(in)));
            }
            int length = in.readInt();
            if (length < 0 || length != in.available()) {
                throw new IllegalArgumentException("the stored response is damaged");
            }
            byte[] body = in.readNBytes(length);
            return new StoredResponse(status, isError, contentType.isEmpty() ? null : contentType, headers, body);
        } catch (IOException e) {
            throw new IllegalArgumentException("the stored response is damaged", e);
        }
    }

    /** Replaces a response that was too large: only the fact that the work was done is stored. */
    public static StoredResponse withheld() {
        return new StoredResponse(WITHHELD, false, null, List.of(), new byte[0]);
    }

    /** Whether only the fact that the work was done is known. */
    public boolean isWithheld() {
        return status == WITHHELD;
    }

    /** Whether the headers are few and short enough to be stored. */
    public static boolean fits(List<Header> headers) {
        int length = 0;
        for (Header header : headers) {
            length += 3 * (header.name.length() + header.value.length());
        }
        return headers.size() <= MOST_HEADERS && length <= LONGEST_HEADERS;
    }

    /**
     * The headers that the work added: without those that were there before it, and without those of one transmission.
     */
    public static List<Header> headersOf(Map<String, List<String>> before, Map<String, List<String>> after) {
        List<Header> own = new ArrayList<>();
        after.forEach((name, values) -> {
            if (IdempotencyKeys.isRemembered(name) && !values.equals(before.get(name))) {
                values.forEach(value -> own.add(new Header(name, value)));
            }
        });
        return own;
    }

    /** Copies the headers: the first of a name replaces an existing one, the others are added. */
    public void copyHeaders(BiConsumer<String, String> set, BiConsumer<String, String> add) {
        Set<String> seen = new HashSet<>();
        headers.forEach(header -> (seen.add(header.name) ? set : add).accept(header.name, header.value));
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a text of " + length + " bytes");
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
