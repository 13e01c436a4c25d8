package dev.weir.server.rls;

import static com.google.protobuf.CodedOutputStream.computeEnumSize;
import static com.google.protobuf.CodedOutputStream.computeInt32Size;
import static com.google.protobuf.CodedOutputStream.computeInt64Size;
import static com.google.protobuf.CodedOutputStream.computeStringSize;
import static com.google.protobuf.CodedOutputStream.computeTagSize;
import static com.google.protobuf.CodedOutputStream.computeUInt32Size;
import static com.google.protobuf.CodedOutputStream.computeUInt32SizeNoTag;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.weir.server.envoy.RateLimitReply;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;
import dev.weir.server.envoy.RateLimitReply.Header;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Encodes a reply as {@code RateLimitResponse}: the same bytes that Envoy's generated message has. */
final class ReplyMarshaller implements Marshaller<RateLimitReply> {
    static final int OK = 1;
    static final int OVER_LIMIT = 2;

    private static final long MAX_UINT32 = 0xffff_ffffL;
    private static final int NANOS_PER_MILLI = 1_000_000;

    @Override
    public RateLimitReply parse(InputStream stream) {
        throw new UnsupportedOperationException("the server receives no responses");
    }

    @Override
    public InputStream stream(RateLimitReply reply) {
        return new ByteArrayInputStream(encode(reply));
    }

    static byte[] encode(RateLimitReply reply) {
        int size = computeEnumSize(1, code(reply.allowed()));
        for (DescriptorStatus status : reply.statuses()) {
            size += nested(2, size(status));
        }
        for (Header header : reply.headers()) {
            size += nested(3, size(header));
        }
        byte[] bytes = new byte[size];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            out.writeEnum(1, code(reply.allowed()));
            for (DescriptorStatus status : reply.statuses()) {
                open(out, 2, size(status));
                write(out, status);
            }
            for (Header header : reply.headers()) {
                open(out, 3, size(header));
                text(out, 1, header.name());
                text(out, 2, header.value());
            }
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new UncheckedIOException("an array cannot fail to be written", e);
        }
        return bytes;
    }

    static int code(boolean allowed) {
        return allowed ? OK : OVER_LIMIT;
    }

    /** Returns a number as Envoy's API can have it: larger ones become the largest. */
    static long uint32(long number) {
        return Math.min(Math.max(0, number), MAX_UINT32);
    }

    private static int size(DescriptorStatus status) {
        int size = computeEnumSize(1, code(status.allowed()));
        CurrentLimit limit = status.limit();
        if (limit != null) {
            size += nested(2, size(limit));
        }
        long remaining = uint32(status.remaining());
        size += remaining == 0 ? 0 : computeUInt32Size(3, (int) remaining);
        return limit == null ? size : size + nested(4, durationSize(status.resetMillis()));
    }

    private static void write(CodedOutputStream out, DescriptorStatus status) throws IOException {
        out.writeEnum(1, code(status.allowed()));
        CurrentLimit limit = status.limit();
        if (limit != null) {
            open(out, 2, size(limit));
            number(out, 1, uint32(limit.requestsPerUnit()));
            number(out, 2, QueryBuilder.number(limit.unit()));
            text(out, 3, limit.name() == null ? "" : limit.name());
        }
        number(out, 3, uint32(status.remaining()));
        if (limit != null) {
            open(out, 4, durationSize(status.resetMillis()));
            long seconds = status.resetMillis() / 1000;
            if (seconds != 0) {
                out.writeInt64(1, seconds);
            }
            int nanos = nanos(status.resetMillis());
            if (nanos != 0) {
                out.writeInt32(2, nanos);
            }
        }
    }

    private static int size(CurrentLimit limit) {
        long requests = uint32(limit.requestsPerUnit());
        int unit = QueryBuilder.number(limit.unit());
        String name = limit.name();
        return (requests == 0 ? 0 : computeUInt32Size(1, (int) requests))
                + (unit == 0 ? 0 : computeUInt32Size(2, unit))
                + (name == null || name.isEmpty() ? 0 : computeStringSize(3, name));
    }

    private static int size(Header header) {
        return (header.name().isEmpty() ? 0 : computeStringSize(1, header.name()))
                + (header.value().isEmpty() ? 0 : computeStringSize(2, header.value()));
    }

    private static int durationSize(long millis) {
        long seconds = millis / 1000;
        int nanos = nanos(millis);
        return (seconds == 0 ? 0 : computeInt64Size(1, seconds)) + (nanos == 0 ? 0 : computeInt32Size(2, nanos));
    }

    private static int nanos(long millis) {
        return (int) (millis % 1000) * NANOS_PER_MILLI;
    }

    private static int nested(int field, int size) {
        return computeTagSize(field) + computeUInt32SizeNoTag(size) + size;
    }

    private static void open(CodedOutputStream out, int field, int size) throws IOException {
        out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(size);
    }

    private static void number(CodedOutputStream out, int field, long number) throws IOException {
        if (number != 0) {
            out.writeUInt32(field, (int) number);
        }
    }

    private static void text(CodedOutputStream out, int field, String text) throws IOException {
        if (!text.isEmpty()) {
            out.writeString(field, text);
        }
    }
}
