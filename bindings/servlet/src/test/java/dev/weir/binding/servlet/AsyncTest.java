package dev.weir.binding.servlet;

import static dev.weir.binding.servlet.App.weir;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous applications are charged once, and their responses show the limits. */
@Tag("io")
@ParameterizedClass
@EnumSource(Container.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class AsyncTest {
    private final Container container;

    AsyncTest(Container container) {
        this.container = container;
    }

    @Test
    void completeDispatchTimeoutAndError_areChargedOnce() throws Exception {
        Weir weir = weir(
                "limits:\n  - { name: ip, per: [ip], rate: 100/hour }\n  - { name: user, per: [user], rate: 50/hour }");
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("user", Extractor.principal())
                .build();
        App.Work async = (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                response.getWriter().write("dispatched");
                return;
            }
            AsyncContext context = request.startAsync();
            switch (request.getRequestURI()) {
                case "/complete" ->
                    context.start(() -> {
                        try {
                            context.getResponse().getWriter().write("completed");
                        } catch (java.io.IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                        context.complete();
                    });
                case "/dispatch" -> context.dispatch();
                case "/timeout" -> context.setTimeout(100);
                default -> throw new IllegalStateException("a failure that the test wants");
            }
        };
        try (weir;
                App app = App.start(container, async, filter, App.authentication(), filter.afterAuthentication())) {
            assertThat(statusOf(app, "/complete")).isEqualTo("200 completed");
            assertThat(statusOf(app, "/dispatch")).isEqualTo("200 dispatched");
            assertThat(statusOf(app, "/timeout")).isEqualTo("500 ");
            // Tomcat cuts off a request that fails after it became asynchronous, also without the filter.
            assertThat(statusOf(app, "/error")).isIn("500 ", "cut off");
            HttpResponse<String> last = app.get("/complete", "X-Login", "ann");
            // A client may retry after it was cut off. Each served request was charged, and nothing more.
            int served = app.served.get();
            assertThat(last.headers().firstValue("RateLimit"))
                    .get()
                    .asString()
                    .contains("\"ip\";r=" + (100 - served), "\"user\";r=" + (50 - served));
            assertThat(weir.counts().allowed()).isEqualTo(served);
        }
    }

    private static String statusOf(App app, String path) throws InterruptedException {
        try {
            HttpResponse<String> response = app.get(path, "X-Login", "ann");
            return response.statusCode() + " " + (response.statusCode() == 200 ? response.body() : "");
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return "cut off";
        }
    }
}
