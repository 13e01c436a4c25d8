package dev.weir.binding.servlet;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The source of an attribute in a request. If the value is missing, the attribute is absent, and limits that need it do
 * not apply. Immutable.
 */
public final class Extractor {
    /** The request attribute that {@link #claim(String)} reads: a map of claims that the application has verified. */
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

    /** Uses a function; null means absent. */
    public static Extractor of(Function<HttpServletRequest, @Nullable String> source) {
        return new Extractor(source, null, request -> true, false);
    }

    /** Uses a header. A client can set it to any value. */
    public static Extractor header(String name) {
        return of(request -> request.getHeader(name));
    }

    /** Uses a cookie. A client can set it to any value. */
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

    /** Uses the name of the authenticated user. */
    public static Extractor principal() {
        return of(request -> {
                    Principal principal = request.getUserPrincipal();
                    return principal == null ? null : principal.getName();
                })
                .afterAuthentication();
    }

    /**
     * Uses a claim of a verified token. The application verifies the token and puts its claims, as a map, into the
     * request attribute {@link #CLAIMS}. This class never reads a token itself, as an unverified token proves nothing.
     */
    public static Extractor claim(String name) {
        return claim(name, request -> request.getAttribute(CLAIMS) instanceof Map<?, ?> claims ? claims : null);
    }

    /** Uses a claim of a token that the application has verified. */
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
     * Uses a field of a JSON body, by its JSON Pointer, such as {@code /device}. The application can still read the
     * body. The attribute is absent if the field is not in the part that the filter {@linkplain
     * WeirFilter.Builder#bodyUpTo reads}, or follows a JSON syntax error. For a limit that clients must not avoid in
     * this way, set {@code on-missing: deny} if it is per this attribute, or list {@code null} among the values that it
     * matches.
     */
    public static Extractor jsonBody(String pointer) {
        return new Extractor(request -> null, pointer, request -> true, false);
    }

    /** Returns a copy that is absent on requests that do not match the condition; their body is not read. */
    public Extractor onlyIf(Predicate<HttpServletRequest> newCondition) {
        return new Extractor(source, pointer, condition.and(newCondition), needsUser);
    }

    /** Returns a copy whose value is known only after authentication. */
    public Extractor afterAuthentication() {
        return new Extractor(source, pointer, condition, true);
    }

    boolean needsUser() {
        return needsUser;
    }

    /** The JSON Pointer of the field; null if the attribute is not in the body. */
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
