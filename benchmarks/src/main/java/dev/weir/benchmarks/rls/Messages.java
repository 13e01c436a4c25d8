package dev.weir.benchmarks.rls;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Encodes and reads the few messages of Envoy's rate limit service that the benchmark needs. */
final class Messages {
    static final String METHOD = "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    /** The keys of the descriptors, one each: as many limits of the configuration. */
    static final List<String> KEYS = List.of("user", "device", "customer", "room");

    private static final int DESCRIPTORS = 2;
    private static final int OVERALL_CODE = 1;
    private static final int STATUSES = 2;
    private static final int OK = 1;

    private Messages() {}

    /** Encodes a request with so many descriptors, whose values all derive from the key. */
    static byte[] request(String key, int descriptors) {
        return message(out -> {
            out.writeString(1, "bench");
            for (String entry : KEYS.subList(0, descriptors)) {
                out.writeByteArray(
                        DESCRIPTORS,
                        message(descriptor -> descriptor.writeByteArray(1, message(pair -> {
                            pair.writeString(1, entry);
                            pair.writeString(2, key);
                        }))));
            }
        });
    }

    /** Returns the descriptors of a request, each as its encoded text. */
    static List<String> descriptors(byte[] request) {
        List<String> found = new ArrayList<>(4);
        read(request, (in, field) -> {
            if (field == DESCRIPTORS) {
                found.add(new String(in.readByteArray(), StandardCharsets.ISO_8859_1));
                return true;
            }
            return false;
        });
        return found;
    }

    /** Encodes a response that allows so many descriptors. */
    static byte[] allowed(int descriptors) {
        byte[] status = message(out -> out.writeEnum(1, OK));
        return message(out -> {
            out.writeEnum(OVERALL_CODE, OK);
            for (int i = 0; i < descriptors; i++) {
                out.writeByteArray(STATUSES, status);
            }
        });
    }

    /** Whether a response allows a request with so many descriptors. */
    static boolean isAllowed(byte[] response, int descriptors) {
        int[] seen = new int[2];
        read(response, (in, field) -> {
            if (field == OVERALL_CODE) {
                seen[0] = in.readEnum();
                return true;
            }
            seen[1] += field == STATUSES ? 1 : 0;
            return false;
        });
        return seen[0] == OK && seen[1] == descriptors;
    }

    private interface FieldReader {
        /** Returns false if the field is to be skipped. */
        boolean read(CodedInputStream in, int field) throws IOException;
    }

    private static void read(byte[] message, FieldReader fields) {
        CodedInputStream in = CodedInputStream.newInstance(message);
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (!fields.read(in, tag >>> 3)) {
                    in.skipField(tag);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface FieldWriter {
        void write(CodedOutputStream out) throws IOException;
    }

    private static byte[] message(FieldWriter fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            fields.write(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
