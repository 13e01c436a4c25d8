package dev.weir.server.rls;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import dev.weir.server.envoy.RateLimitReply;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The service and its method, with the schema that server reflection shows. The schema is the compiled form of the
 * {@code .proto} files; no code is generated from them.
 */
final class RateLimitSchema {
    static final String SERVICE = "envoy.service.ratelimit.v3.RateLimitService";

    private static final String RESOURCE = "ratelimit.desc";
    private static final String MAIN_FILE = "envoy/service/ratelimit/v3/rls.proto";

    static final MethodDescriptor<DecodedRequest, RateLimitReply> SHOULD_RATE_LIMIT =
            MethodDescriptor.<DecodedRequest, RateLimitReply>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "ShouldRateLimit"))
                    .setRequestMarshaller(new RequestMarshaller())
                    .setResponseMarshaller(new ReplyMarshaller())
                    .setSampledToLocalTracing(true)
                    .build();

    private RateLimitSchema() {}

    static ServiceDescriptor service() {
        FileDescriptor file = file();
        ProtoFileDescriptorSupplier schema = () -> file;
        return ServiceDescriptor.newBuilder(SERVICE)
                .setSchemaDescriptor(schema)
                .addMethod(SHOULD_RATE_LIMIT)
                .build();
    }

    /** Returns the file that declares the service. */
    static FileDescriptor file() {
        Map<String, FileDescriptor> files = new LinkedHashMap<>();
        try (InputStream in = RateLimitSchema.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing from this build of weir-server");
            }
            // A file follows the files that it imports.
            for (FileDescriptorProto file : FileDescriptorSet.parseFrom(in).getFileList()) {
                FileDescriptor[] imports =
                        file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
                files.put(file.getName(), FileDescriptor.buildFrom(file, imports));
            }
        } catch (IOException | DescriptorValidationException e) {
            throw new IllegalStateException(RESOURCE + " is damaged in this build of weir-server", e);
        }
        return Objects.requireNonNull(files.get(MAIN_FILE), MAIN_FILE);
    }
}
