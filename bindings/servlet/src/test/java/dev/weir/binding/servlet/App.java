package dev.weir.binding.servlet;

import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A servlet application in a real container, and a client for it. */
final class App implements AutoCloseable {
    final AtomicInteger served = new AtomicInteger();
    private final Container.Running running;
    private final HttpClient client = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    private App(Container container, String contextPath, Work work, List<Filter> filters) throws Exception {
        HttpServlet servlet = new HttpServlet() {
            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
                if (request.getDispatcherType() == DispatcherType.REQUEST) {
                    served.incrementAndGet();
                }
                try {
                    work.serve(request, response);
                } catch (IOException | RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        running = container.start(contextPath, servlet, context -> register(context, filters));
    }

    /** The application's code. */
    interface Work {
        void serve(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    static App start(Container container, Work work, Filter... filters) throws Exception {
        return new App(container, "", work, List.of(filters));
    }

    /** Starts an application at a context path. */
    static App startAt(String contextPath, Container container, Work work, Filter... filters) throws Exception {
        return new App(container, contextPath, work, List.of(filters));
    }

    static Weir weir(String limits) {
        return Weir.inMemory(new ConfigurationReader(name -> null)
                .read("test.yaml", "version: 1\n" + limits)
                .orThrow());
    }

    /** Takes the user from a header, or refuses; like a real authentication filter, without the proof. */
    static Filter authentication() {
        return (request, response, chain) -> {
            String user = ((HttpServletRequest) request).getHeader("X-Login");
            if (user == null) {
                ((HttpServletResponse) response).setStatus(401);
                return;
            }
            chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Principal getUserPrincipal() {
                            return () -> user;
                        }
                    },
                    response);
        };
    }

    int port() {
        return running.port();
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, null, headers);
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return send("POST", path, body, headers);
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        HttpRequest request = request(method, path, body, headers);
        try {
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            // A container closes the connection after a refusal if the rest of the refused request arrives late. The
            // client cannot know that before it uses the connection again; that request was not processed.
            if (String.valueOf(e.getMessage()).contains("received no bytes")) {
                return client.send(request, BodyHandlers.ofString());
            }
            throw e;
        }
    }

    java.util.concurrent.CompletableFuture<HttpResponse<String>> sendLater(
            String method, String path, String body, String... headers) {
        return client.sendAsync(request(method, path, body, headers), BodyHandlers.ofString());
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(20))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        List<String> all = new ArrayList<>(List.of(headers));
        for (int i = 0; i < all.size(); i += 2) {
            builder.header(all.get(i), all.get(i + 1));
        }
        return builder.build();
    }

    private static void register(ServletContext context, List<Filter> filters) {
        for (int i = 0; i < filters.size(); i++) {
            if (filters.get(i) instanceof WeirFilter filter) {
                filter.register(context, "/*");
            } else {
                var registration = context.addFilter("filter" + i, filters.get(i));
                registration.setAsyncSupported(true);
                registration.addMappingForUrlPatterns(
                        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, "/*");
            }
        }
    }

    @Override
    public void close() throws Exception {
        running.close();
    }
}
