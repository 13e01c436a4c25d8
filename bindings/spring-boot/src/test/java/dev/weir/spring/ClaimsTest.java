package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.web.TokenClaims;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Claims of tokens that Spring Security has verified are attributes. */
@Tag("io")
class ClaimsTest {
    private static final String[] PER_TENANT = {
        "weir.attributes.tenant=claim:tenant",
        "weir.limits[0].name=tenants",
        "weir.limits[0].per=tenant",
        "weir.limits[0].rate=2/hour"
    };

    @RestController
    static class Pages {
        @GetMapping("/page")
        String page() {
            return "hello";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ServletApplication {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        JwtDecoder decoder() {
            return NimbusJwtDecoder.withSecretKey(Tokens.KEY).build();
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReactiveApplication {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        ReactiveJwtDecoder decoder() {
            return NimbusReactiveJwtDecoder.withSecretKey(Tokens.KEY).build();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                    .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                    .build();
        }
    }

    @Test
    void claim_ofAResourceServersToken_isAnAttribute_onServlets() throws Exception {
        try (App app = App.servlet(ServletApplication.class, PER_TENANT)) {
            limitsEachTenant(app);
        }
    }

    @Test
    void claim_ofAResourceServersToken_isAnAttribute_onWebFlux() throws Exception {
        try (App app = App.reactive(ReactiveApplication.class, PER_TENANT)) {
            limitsEachTenant(app);
        }
    }

    private static void limitsEachTenant(App app) throws Exception {
        assertThat(app.get("/page", Tokens.bearer("ann", "acme")).statusCode()).isEqualTo(200);
        assertThat(app.get("/page", Tokens.bearer("ben", "acme")).statusCode()).isEqualTo(200);
        assertThat(app.get("/page", Tokens.bearer("ann", "acme")).statusCode()).isEqualTo(429);
        assertThat(app.get("/page", Tokens.bearer("cay", "other")).statusCode()).isEqualTo(200);
        assertThat(app.get("/page").statusCode()).isEqualTo(401);
    }

    @Test
    void claims_ofEveryKindOfToken_areFound() {
        Map<String, Object> claims = Map.of("sub", "ann", "tenant", "acme");
        Jwt jwt = Jwt.withTokenValue("t")
                .header("alg", "none")
                .claims(all -> all.putAll(claims))
                .build();
        OAuth2AccessToken opaque = new OAuth2AccessToken(
                OAuth2AccessToken.TokenType.BEARER,
                "t",
                Instant.now(),
                Instant.now().plusSeconds(60));
        var introspected = new DefaultOAuth2AuthenticatedPrincipal("ann", claims, AuthorityUtils.NO_AUTHORITIES);
        var login = new DefaultOAuth2User(AuthorityUtils.createAuthorityList("USER"), claims, "sub");
        var oidc = new DefaultOidcUser(
                AuthorityUtils.createAuthorityList("USER"),
                new OidcIdToken("t", Instant.now(), Instant.now().plusSeconds(60), claims));

        assertThat(List.of(
                        new JwtAuthenticationToken(jwt),
                        new BearerTokenAuthentication(introspected, opaque, AuthorityUtils.NO_AUTHORITIES),
                        new OAuth2AuthenticationToken(login, login.getAuthorities(), "client"),
                        new OAuth2AuthenticationToken(oidc, oidc.getAuthorities(), "client"),
                        // Tokens that a converter of the application may produce.
                        new UsernamePasswordAuthenticationToken("ann", jwt, List.of()),
                        new UsernamePasswordAuthenticationToken(jwt, "", List.of())))
                .allSatisfy(authentication ->
                        assertThat(TokenClaims.of(authentication)).containsAllEntriesOf(claims));
        assertThat(TokenClaims.of(new UsernamePasswordAuthenticationToken("ann", "secret")))
                .isEmpty();
        assertThat(TokenClaims.of(() -> "ann")).isEmpty();
        assertThat(TokenClaims.of(null)).isEmpty();
    }
}
