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

/**
 * Where the value of an attribute is found in an exchange. What is not there is absent. It must not block. Immutable.
 */
public final class ExchangeExtractor {
    /** The attribute of an exchange where claims are looked for that the application has verified: a map. */
    public static final String CLAIMS = "dev.weir.claims";

    private final BiFunction<ServerWebExchange, @Nullable Principal, @Nullable String> source;
    private final boolean needsUser;

    private ExchangeExtractor(
            BiFunction<ServerWebExchange, @Nullable Principal, @Nullable String> source, boolean needsUser) {
        this.source = source;
        this.needsUser = needsUser;
    }

    /** Whatever a function finds in the exchange; null for absent. */
    public static ExchangeExtractor of(Function<ServerWebExchange, @Nullable String> source) {
        return new ExchangeExtractor((exchange, user) -> source.apply(exchange), false);
    }

    /** Whatever a function finds in the exchange and its user, once authenticated; the user is null if there is none. */
    public static ExchangeExtractor ofUser(
            BiFunction<ServerWebExchange, @Nullable Principal, @Nullable String> source) {
        return new ExchangeExtractor(source, true);
    }

    /** As {@code weir.attributes} says; not for fields of bodies. */
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

    /** One that the application has set comes before one of the token. */
    private static @Nullable String claim(String name, ServerWebExchange exchange, @Nullable Principal user) {
        return TokenClaims.text(
                exchange.getAttribute(CLAIMS) instanceof Map<?, ?> own && own.containsKey(name)
                        ? own.get(name)
                        : TokenClaims.of(user).get(name));
    }
}
