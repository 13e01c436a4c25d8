package dev.weir.server.rls;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.http.ProblemException;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Decodes {@code RateLimitRequest} directly into a query, without a generated message between them.
 *
 * <p>It never throws. gRPC would log an exception of a marshaller with its stack trace and respond {@code UNKNOWN}, so
 * the refusal is part of the result. Text must be valid UTF-8, as proto3 requires. Groups, which proto3 does not have,
 * are refused, so that no input makes the decoder recurse. Decoding ends at the first field out of bounds.
 */
final class RequestMarshaller implements Marshaller<DecodedRequest> {
    private static final int DOMAIN = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int DESCRIPTORS = 2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int HITS = 3 << 3 | WireFormat.WIRETYPE_VARINT;

    private static final int ENTRIES = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int LIMIT = 2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int OWN_HITS = 3 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private static final int KEY = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int VALUE = 2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private static final int REQUESTS_PER_UNIT = 1 << 3 | WireFormat.WIRETYPE_VARINT;
    private static final int UNIT = 2 << 3 | WireFormat.WIRETYPE_VARINT;

    private static final int WRAPPED_NUMBER = 1 << 3 | WireFormat.WIRETYPE_VARINT;

    @Override
    public InputStream stream(DecodedRequest value) {
        throw new UnsupportedOperationException("the server sends no requests");
    }

    @Override
    public DecodedRequest parse(InputStream stream) {
        try {
            return new DecodedRequest(decode(bytes(stream)), null);
        } catch (StatusRuntimeException e) {
            // A compressed message that is too large when it is decompressed.
            return new DecodedRequest(null, e.getStatus());
        } catch (ProblemException e) {
            return new DecodedRequest(null, Status.INVALID_ARGUMENT.withDescription(e.detail()));
        } catch (IOException e) {
            return new DecodedRequest(
                    null, Status.INVALID_ARGUMENT.withDescription("the message is not a RateLimitRequest"));
        }
    }

    private static byte[] bytes(InputStream stream) throws IOException {
        return stream instanceof KnownLength ? stream.readNBytes(stream.available()) : stream.readAllBytes();
    }

    static RateLimitQuery decode(byte[] message) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(message);
        QueryBuilder query = new QueryBuilder();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case DOMAIN -> query.domain(in.readStringRequireUtf8());
                case DESCRIPTORS -> descriptor(in, query.descriptor());
                case HITS -> query.hits(Integer.toUnsignedLong(in.readUInt32()));
                default -> skip(in, tag);
            }
        }
        return query.build();
    }

    private static void descriptor(CodedInputStream in, QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        int outer = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case ENTRIES -> entry(in, descriptor);
                case LIMIT -> limit(in, descriptor);
                case OWN_HITS -> ownHits(in, descriptor);
                default -> skip(in, tag);
            }
        }
        in.popLimit(outer);
        descriptor.end();
    }

    private static void entry(CodedInputStream in, QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        int outer = in.pushLimit(in.readRawVarint32());
        String key = "";
        String value = "";
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case KEY -> key = in.readStringRequireUtf8();
                case VALUE -> value = in.readStringRequireUtf8();
                default -> skip(in, tag);
            }
        }
        in.popLimit(outer);
        descriptor.entry(key, value);
    }

    private static void limit(CodedInputStream in, QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        int outer = in.pushLimit(in.readRawVarint32());
        descriptor.limit();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case REQUESTS_PER_UNIT -> descriptor.requestsPerUnit(Integer.toUnsignedLong(in.readUInt32()));
                case UNIT -> descriptor.unit(in.readEnum());
                default -> skip(in, tag);
            }
        }
        in.popLimit(outer);
    }

    /** Decodes a {@code google.protobuf.UInt64Value}, whose number is left out if it is 0. */
    private static void ownHits(CodedInputStream in, QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        int outer = in.pushLimit(in.readRawVarint32());
        long number = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == WRAPPED_NUMBER) {
                number = in.readUInt64();
            } else {
                skip(in, tag);
            }
        }
        in.popLimit(outer);
        descriptor.hits(number);
    }

    /** Skips a field of a later version of the API. */
    private static void skip(CodedInputStream in, int tag) throws IOException {
        switch (WireFormat.getTagWireType(tag)) {
            case WireFormat.WIRETYPE_START_GROUP, WireFormat.WIRETYPE_END_GROUP ->
                throw new InvalidProtocolBufferException("proto3 has no groups");
            default -> {
                boolean unused = in.skipField(tag);
            }
        }
    }
}
