package dev.weir.binding.grpc;

import dev.weir.engine.AttributeText;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the attributes of a call: its address, method and authority, and the values of the extractors. Immutable. */
final class AttributeReader {
    private static final Metadata.Key<String> FORWARDED = header("forwarded");
    private static final Metadata.Key<String> FORWARDED_FOR = header("x-forwarded-for");

    private final Weir weir;
    private final Map<String, Extractor> extractors;

    AttributeReader(Weir weir, Map<String, Extractor> extractors) {
        this.weir = weir;
        this.extractors = Map.copyOf(extractors);
    }

    /** Returns the attributes that are known when the call begins. */
    Map<String, String> read(ServerCall<?, ?> call, Metadata headers) {
        MethodDescriptor<?, ?> method = call.getMethodDescriptor();
        Map<String, String> attributes = new HashMap<>();
        attributes.put("channel", "grpc");
        attributes.put("type", "call");
        attributes.put("method", method.getFullMethodName());
        AttributeText.put(attributes, "service", method.getServiceName());
        AttributeText.put(attributes, "authority", call.getAuthority());
        AttributeText.put(attributes, "ip", address(call, headers));
        extractors.forEach((name, extractor) -> AttributeText.put(attributes, name, extractor.extract(call, headers)));
        return attributes;
    }

    /** Returns the request for one message of the call. */
    static Request ofMessage(Request call) {
        Map<String, String> attributes = new HashMap<>(call.attributes());
        attributes.put("type", "message");
        return Request.of(attributes);
    }

    private @Nullable String address(ServerCall<?, ?> call, Metadata headers) {
        SocketAddress peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (peer == null) {
            return null;
        }
        return weir.clients().of(text(peer), lines(headers, FORWARDED), lines(headers, FORWARDED_FOR));
    }

    /** Formats an address without a name lookup. */
    private static String text(SocketAddress peer) {
        return peer instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : peer.toString();
    }

    private static List<String> lines(Metadata headers, Metadata.Key<String> key) {
        Iterable<String> values = headers.getAll(key);
        if (values == null) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        values.forEach(lines::add);
        return lines;
    }

    private static Metadata.Key<String> header(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
