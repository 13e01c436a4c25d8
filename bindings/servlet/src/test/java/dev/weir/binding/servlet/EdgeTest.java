package dev.weir.binding.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import dev.weir.fixture.EdgeVectors;
import dev.weir.fixture.RawHttp;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Limits count the path that is served and the real client, whatever is sent. */
@Tag("io")
@ParameterizedClass
@EnumSource(Container.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class EdgeTest {
    private final Container container;

    EdgeTest(Container container) {
        this.container = container;
    }

    @Test
    void paths_areCountedAsTheyAreServed() throws Exception {
        try (Weir weir = App.weir("limits: [{ name: protected, match: { path: " + EdgeVectors.PROTECTED
                        + " }, rate: 1000000/hour }]");
                App app = App.start(container, EdgeTest::tell, WeirFilter.of(weir))) {
            assertThat(EdgeVectors.pathFaults(app.port())).isEmpty();
        }
    }

    @Test
    void pathsBelowAContext_areCountedAsTheyAreServed() throws Exception {
        String[] paths = {
            "/app/login",
            "/%61pp/login",
            "/app/../app/login",
            "/x/../app/login",
            "/app/./login",
            "/app;x/login",
            "/app/x/..;/login",
            "/app/%2e%2e/app/login",
            "//app/login",
            "/app//login",
            "/app/x/../../app/login",
            "/app/a%2f..%2flogin",
            "/app/a%2fb/../../../app/login",
            "/app/login;/../../app/export"
        };
        try (Weir weir = App.weir("limits: [{ name: protected, match: { path: " + EdgeVectors.PROTECTED
                        + " }, rate: 1000000/hour }]");
                App app = App.startAt("/app", container, EdgeTest::tell, WeirFilter.of(weir))) {
            int served = 0;
            for (String path : paths) {
                RawHttp.Response response = RawHttp.get(app.port(), path, List.of());
                if ("protected".equals(response.header(EdgeVectors.SERVED))) {
                    served++;
                    assertThat(response.header("X-RateLimit-Remaining"))
                            .as(path)
                            .isNotNull();
                }
            }
            assertThat(served).isGreaterThan(2);
            assertThat(RawHttp.get(app.port(), "/app/z", List.of()).header("X-RateLimit-Remaining"))
                    .isNull();
        }
    }

    @Test
    void addresses_areOneClient() throws Exception {
        for (String header : new String[] {"x-forwarded-for", "forwarded"}) {
            try (Weir weir = App.weir(EdgeVectors.addressYaml(header).replace("version: 1\n", ""));
                    App app = App.start(container, EdgeTest::tell, WeirFilter.of(weir))) {
                assertThat(EdgeVectors.addressFaults(app.port(), header)).isEmpty();
            }
        }
    }

    /** Reports the path as the container maps it and as it was sent; an application may use either. */
    private static void tell(HttpServletRequest request, HttpServletResponse response) {
        String mapped = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        boolean isProtected = EdgeVectors.isProtected(mapped) || EdgeVectors.isProtected(request.getRequestURI());
        response.setHeader(EdgeVectors.SERVED, isProtected ? "protected" : "other");
    }
}
