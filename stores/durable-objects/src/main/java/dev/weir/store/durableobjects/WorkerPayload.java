package dev.weir.store.durableobjects;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The payload of requests and responses: big-endian numbers of four bytes, and bytes after their length. */
final class WorkerPayload {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    WorkerPayload number(int value) {
        out.write(value >>> 24);
        out.write(value >>> 16);
        out.write(value >>> 8);
        out.write(value);
        return this;
    }

    WorkerPayload framed(byte[] part) {
        number(part.length).out.writeBytes(part);
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    /**
     * Splits a payload into its framed parts.
     *
     * @throws IllegalArgumentException if a length exceeds the payload
     */
    static List<byte[]> parts(byte[] body) {
        List<byte[]> parts = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(body);
        while (in.hasRemaining()) {
            int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new IllegalArgumentException("the answer ends within one of its parts");
            }
            byte[] part = new byte[length];
            in.get(part);
            parts.add(part);
        }
        return parts;
    }
}
