package dev.weir.spring.reactive;

import dev.weir.spring.web.AttributeSource;
import dev.weir.spring.web.TokenClaims;
import java.security.Principal;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpCookie;
import org.springframework.web.server.ServerWebExchange;

/** The source of an attribute in an exchange. A missing value is absent. Must not block. Immutable. */
public final class ExchangeExtractor {
    /** The attribute of an exchange that holds claims which the application has verified, as a map. */
    public static final String CLAIMS = "dev.weir.claims";

    private final BiFunction<ServerWebExchange, @Nullable Principal, @Nullable String> source;
    private final boolean needsUser;

    private ExchangeExtractor(
            BiFunction<ServerWebExchange, @Nullable Principal, @Nullable String> source, boolean needsUser) {
        this.source = source;
        this.needsUser = needsUser;
    }

    /** Uses a function of the exchange; null means absent. */
    public static ExchangeExtractor of(Function<ServerWebExchange, @Nullable String> source) {
        return new ExchangeExtractor((exchange, user) -> source.apply(exchange), false);
    }

    /** Uses a function of the exchange and its authenticated user; the user is null if there is none. */
    public static ExchangeExtractor ofUser(
            BiFunction<ServerWebExchange, @Nullable Principal, @Nullable String> source) {
        return new ExchangeExtractor(source, true);
    }

    /** Uses a source of {@code weir.attributes}, except fields of bodies. */
    static ExchangeExtractor of(AttributeSource source) {
        String name = source.name();
        return switch (source.kind()) {
            case HEADER -> of(exchange -> exchange.getRequest().getHeaders().getFirst(name));
            case COOKIE ->
                of(exchange -> {
                    HttpCookie cookie = exchange.getRequest().getCookies().getFirst(name);
                    return cookie == null ? null : cookie.getValue();
                });
            case PRINCIPAL -> ofUser((exchange, user) -> user == null ? null : user.getName());
            case CLAIM -> ofUser((exchange, user) -> claim(name, exchange, user));
            case JSON -> throw new IllegalArgumentException("bodies are not read");
        };
    }

    boolean needsUser() {
        return needsUser;
    }

    @Nullable
    String extract(ServerWebExchange exchange, @Nullable Principal user) {
        return source.apply(exchange, user);
    }

    /** Returns a claim. One that the application has set precedes one of the token. */
    private static @Nullable String claim(String name, ServerWebExchange exchange, @Nullable Principal user) {
        return TokenClaims.text(
                exchange.getAttribute(CLAIMS) instanceof Map<?, ?> own && own.containsKey(name)
                        ? own.get(name)
                        : TokenClaims.of(user).get(name));
    }
}
