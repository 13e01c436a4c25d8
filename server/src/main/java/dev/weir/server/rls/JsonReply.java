package dev.weir.server.rls;

import dev.weir.engine.json.Json;
import dev.weir.server.envoy.RateLimitReply;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;

/** Writes a reply in the JSON encoding of proto3, which leaves out fields that have their default. */
final class JsonReply {
    private JsonReply() {}

    static Json write(RateLimitReply reply) {
        Json json = Json.newObject(256).field("overallCode", code(reply.allowed()));
        json.name("statuses").open('[');
        reply.statuses().forEach(status -> write(json, status));
        json.close(']');
        if (!reply.headers().isEmpty()) {
            json.name("responseHeadersToAdd").open('[');
            reply.headers()
                    .forEach(header -> json.open('{')
                            .field("key", header.name())
                            .field("value", header.value())
                            .close('}'));
            json.close(']');
        }
        return json.close('}');
    }

    private static void write(Json json, DescriptorStatus status) {
        json.open('{').field("code", code(status.allowed()));
        CurrentLimit limit = status.limit();
        if (limit != null) {
            write(json, limit);
        }
        long remaining = ReplyMarshaller.uint32(status.remaining());
        if (remaining != 0) {
            json.field("limitRemaining", remaining);
        }
        if (limit != null) {
            json.field("durationUntilReset", duration(status.resetMillis()));
        }
        json.close('}');
    }

    private static void write(Json json, CurrentLimit limit) {
        json.name("currentLimit").open('{');
        if (limit.name() != null && !limit.name().isEmpty()) {
            json.field("name", limit.name());
        }
        long requests = ReplyMarshaller.uint32(limit.requestsPerUnit());
        if (requests != 0) {
            json.field("requestsPerUnit", requests);
        }
        if (limit.unit() != null) {
            json.field("unit", limit.unit().name());
        }
        json.close('}');
    }

    private static String code(boolean allowed) {
        return allowed ? "OK" : "OVER_LIMIT";
    }

    /** {@code 3s}, or {@code 3.500s}. */
    private static String duration(long millis) {
        String fraction = Long.toString(1000 + millis % 1000).substring(1);
        return millis / 1000 + (millis % 1000 == 0 ? "" : "." + fraction) + "s";
    }
}
