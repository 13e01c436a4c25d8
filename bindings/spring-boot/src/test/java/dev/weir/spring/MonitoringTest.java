package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Monitoring over HTTP: the endpoint, health, and meters. */
@Tag("io")
class MonitoringTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=address",
        "weir.limits[0].per=ip",
        "weir.limits[0].rate=2/hour",
        "weir.filter.skip=/actuator/**",
        "management.endpoint.health.show-details=always"
    };

    /** Details come before or after the status, depending on the JSON library. */
    private static final String WEIR = "\"weir\":\\{(\"details\":\\{[^}]*},)?\"status\":";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BrokenStore extends Application {
        @Bean
        Weir weir() {
            return Fixtures.broken("  - { name: address, per: [ip], rate: 10/min }");
        }
    }

    @Test
    void endpoint_tellsLimitsAndStore_andHowASubjectStands() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            app.together(3, "/");

            assertThat(app.get("/actuator/weir").body())
                    .contains("\"name\":\"address\"", "\"algorithm\":\"token-bucket\"", "\"per\":[\"ip\"]")
                    .contains("\"default\":[\"2/h\"]".replace("2/h", "2/hour"))
                    .contains("\"allowed\":2", "\"denied\":1")
                    .contains("\"kind\":\"memory\"", "\"answers\":true", "\"breaker\":\"closed\"");
            assertThat(app.get("/actuator/weir/ip/127.0.0.1").body()).contains("\"capacity\":2", "\"remaining\":0");
            assertThat(app.get("/actuator/weir/ip/192.0.2.1").body()).contains("\"remaining\":2");
        }
    }

    @Test
    void endpoint_tellsALimitThatNeverApplied() throws Exception {
        try (App app = App.servlet(
                Application.class,
                "weir.limits[0].name=tenants",
                "weir.limits[0].per=tenant",
                "weir.limits[0].rate=2/hour",
                "weir.filter.skip=/actuator/**")) {
            app.together(3, "/");

            assertThat(app.get("/actuator/weir").body())
                    .contains("\"limit\":\"tenants\",\"missing\":[\"tenant\"]", "\"skipped\":3")
                    .contains("\"onMissing\":\"skip\"");
        }
    }

    @Test
    void refusal_forAMissingAttribute_namesIt() throws Exception {
        try (App app = App.servlet(
                Application.class,
                "weir.limits[0].name=tenants",
                "weir.limits[0].per=tenant",
                "weir.limits[0].rate=2/hour",
                "weir.limits[0].on-missing=deny")) {
            HttpResponse<String> refused = app.get("/");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
            assertThat(refused.body())
                    .contains("\"missing\":[\"tenant\"]", "Limit 'tenants' needs the attribute tenant");
        }
    }

    @Test
    void health_isThatOfTheStore() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            HttpResponse<String> health = app.get("/actuator/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).containsPattern(WEIR + "\"UP\"").contains("\"kind\":\"memory\"");
        }
        try (App app = App.servlet(BrokenStore.class, LIMITS)) {
            HttpResponse<String> health = app.get("/actuator/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).containsPattern(WEIR + "\"DOWN\"").contains("\"answers\":false");
        }
    }

    @Test
    void meters_areInTheRegistry() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            app.together(3, "/");

            MeterRegistry registry = app.bean(MeterRegistry.class);
            assertThat(registry.get("weir.decisions")
                            .tag("outcome", "limited")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("weir.checks")
                            .tag("limit", "address")
                            .tag("outcome", "allowed")
                            .functionCounter()
                            .count())
                    .isEqualTo(2);
            assertThat(app.get("/actuator/metrics/weir.decisions").statusCode()).isEqualTo(200);
        }
    }
}
