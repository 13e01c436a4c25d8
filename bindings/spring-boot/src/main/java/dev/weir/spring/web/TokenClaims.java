package dev.weir.spring.web;

import java.security.Principal;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.util.ClassUtils;

/**
 * The claims of the token by which Spring Security has authenticated a request: a JWT or an introspected token of a
 * resource server, or the attributes of an OAuth 2.0 or OpenID Connect login. Empty without Spring Security's OAuth 2.0
 * modules.
 */
public final class TokenClaims {
    private static final boolean HAS_OAUTH2 = isPresent("org.springframework.security.oauth2.core.ClaimAccessor");
    private static final boolean HAS_RESOURCE_SERVER = isPresent("org.springframework.security.oauth2.server.resource"
            + ".authentication.AbstractOAuth2TokenAuthenticationToken");

    private TokenClaims() {}

    /** Returns the claims; empty if the request was authenticated in another way, or not at all. */
    public static Map<String, Object> of(@Nullable Principal user) {
        return HAS_OAUTH2 ? OAuth2.claims(user) : Map.of();
    }

    /** Returns a claim's value as an attribute; null if the claim is absent or not a plain value. */
    public static @Nullable String text(@Nullable Object claim) {
        return claim instanceof String || claim instanceof Number || claim instanceof Boolean ? claim.toString() : null;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, TokenClaims.class.getClassLoader());
    }

    /** Loaded only if the OAuth 2.0 modules are present. */
    private static final class OAuth2 {
        static Map<String, Object> claims(@Nullable Principal user) {
            if (HAS_RESOURCE_SERVER && user instanceof AbstractOAuth2TokenAuthenticationToken<?> token) {
                return token.getTokenAttributes();
            }
            // A converter of the application may keep the token as the principal or as the credentials.
            return user instanceof Authentication authentication
                    ? Stream.of(authentication.getPrincipal(), authentication.getCredentials())
                            .map(OAuth2::inside)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse(Map.of())
                    : Map.of();
        }

        private static @Nullable Map<String, Object> inside(@Nullable Object part) {
            if (part instanceof OAuth2AuthenticatedPrincipal principal) {
                return principal.getAttributes();
            }
            return part instanceof ClaimAccessor token ? token.getClaims() : null;
        }
    }
}
