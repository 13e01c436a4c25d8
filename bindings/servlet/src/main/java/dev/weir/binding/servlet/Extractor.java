package dev.weir.binding.servlet;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where the value of an attribute is found in a request. What is not there is absent, and limits that need it do not
 * apply. Immutable.
 */
public final class Extractor {
    /** The request attribute where {@link #claim(String)} looks: a map of claims that the application has verified. */
    public static final String CLAIMS = "dev.weir.claims";

    private final Function<HttpServletRequest, @Nullable String> source;
    private final @Nullable String pointer;
    private final Predicate<HttpServletRequest> condition;
    private final boolean needsUser;

    private Extractor(
            Function<HttpServletRequest, @Nullable String> source,
            @Nullable String pointer,
            Predicate<HttpServletRequest> condition,
            boolean needsUser) {
        this.source = source;
        this.pointer = pointer;
        this.condition = condition;
        this.needsUser = needsUser;
    }

    /** Whatever a function finds; null for absent. */
    public static Extractor of(Function<HttpServletRequest, @Nullable String> source) {
        return new Extractor(source, null, request -> true, false);
    }

    /** A header, which a client can set as it likes. */
    public static Extractor header(String name) {
        return of(request -> request.getHeader(name));
    }

    /** A cookie, which a client can set as it likes. */
    public static Extractor cookie(String name) {
        return of(request -> {
            Cookie[] cookies = request.getCookies();
            if (cookies != null) {
                for (Cookie cookie : cookies) {
                    if (cookie.getName().equals(name)) {
                        return cookie.getValue();
                    }
                }
            }
            return null;
        });
    }

    /** The name of the user, once authenticated. */
    public static Extractor principal() {
        return of(request -> {
                    Principal principal = request.getUserPrincipal();
                    return principal == null ? null : principal.getName();
                })
                .afterAuthentication();
    }

    /**
     * A claim of the token that the application has verified and whose claims it has put, as a map, into the request
     * attribute {@link #CLAIMS}. A token is never looked at here: whoever has not verified it knows nothing.
     */
    public static Extractor claim(String name) {
        return claim(name, request -> request.getAttribute(CLAIMS) instanceof Map<?, ?> claims ? claims : null);
    }

    /** A claim of a token that the application has verified. */
    public static Extractor claim(String name, Function<HttpServletRequest, @Nullable Map<?, ?>> verified) {
        return of(request -> {
                    Map<?, ?> claims = verified.apply(request);
                    Object value = claims == null ? null : claims.get(name);
                    if (value instanceof String || value instanceof Number || value instanceof Boolean) {
                        return value.toString();
                    }
                    return null;
                })
                .afterAuthentication();
    }

    /**
     * A field of a JSON body, by its JSON Pointer, such as {@code /device}. The application can read the body all the
     * same. Absent if it is not in what the filter {@linkplain WeirFilter.Builder#bodyUpTo reads} of the body, or comes
     * after something that is no JSON. A limit that must not be avoided in this way says so: {@code on-missing: deny} if it
     * is per this attribute, or {@code null} among the values that it matches.
     */
    public static Extractor jsonBody(String pointer) {
        return new Extractor(request -> null, pointer, request -> true, false);
    }

    /** The same, but absent from requests that do not fulfil a condition; their body is not read. */
    public Extractor onlyIf(Predicate<HttpServletRequest> newCondition) {
        return new Extractor(source, pointer, condition.and(newCondition), needsUser);
    }

    /** The same, known only once the request is authenticated. */
    public Extractor afterAuthentication() {
        return new Extractor(source, pointer, condition, true);
    }

    boolean needsUser() {
        return needsUser;
    }

    /** Where in the body it is; null if it is not there. */
    @Nullable
    String pointer() {
        return pointer;
    }

    boolean appliesTo(HttpServletRequest request) {
        return condition.test(request);
    }

    @Nullable
    String extract(HttpServletRequest request) {
        return condition.test(request) ? source.apply(request) : null;
    }
}
