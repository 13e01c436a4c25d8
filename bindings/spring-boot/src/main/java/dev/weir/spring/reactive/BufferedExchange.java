package dev.weir.spring.reactive;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An exchange whose body was read. The application reads the body as usual. */
final class BufferedExchange extends ServerWebExchangeDecorator {
    private static final String BODY = BufferedExchange.class.getName() + ".body";
    private static final ResolvableType FORM =
            ResolvableType.forClassWithGenerics(MultiValueMap.class, String.class, String.class);

    private final ServerHttpRequest request;

    private BufferedExchange(ServerWebExchange exchange, byte[] body) {
        super(exchange);
        this.request = new ServerHttpRequestDecorator(exchange.getRequest()) {
            @Override
            public Flux<DataBuffer> getBody() {
                return body.length == 0
                        ? Flux.empty()
                        : Flux.defer(() ->
                                Flux.just(exchange.getResponse().bufferFactory().wrap(body)));
            }
        };
    }

    /** Reads the body. A body beyond the bound is discarded, as the request will be rejected. */
    static Mono<ServerWebExchange> read(ServerWebExchange exchange, int bound) {
        if (exchange.getRequest().getHeaders().getContentLength() > bound) {
            return Mono.just(exchange);
        }
        return DataBufferUtils.join(exchange.getRequest().getBody(), bound)
                .map(BufferedExchange::bytes)
                .defaultIfEmpty(new byte[0])
                .<ServerWebExchange>map(body -> {
                    exchange.getAttributes().put(BODY, body);
                    return new BufferedExchange(exchange, body);
                })
                .onErrorResume(DataBufferLimitException.class, tooLarge -> Mono.just(exchange));
    }

    /** Returns the body; null if it was too large. */
    static byte @Nullable [] body(ServerWebExchange exchange) {
        return exchange.getAttribute(BODY);
    }

    static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    @Override
    public ServerHttpRequest getRequest() {
        return request;
    }

    /** The delegate would look for the form in a body that is already read. */
    @Override
    public Mono<MultiValueMap<String, String>> getFormData() {
        MediaType type = request.getHeaders().getContentType();
        return type != null && type.isCompatibleWith(MediaType.APPLICATION_FORM_URLENCODED)
                ? new FormHttpMessageReader().readMono(FORM, request, Map.of())
                : Mono.just(new LinkedMultiValueMap<>());
    }
}
