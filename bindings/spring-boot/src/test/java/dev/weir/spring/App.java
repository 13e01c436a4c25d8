package dev.weir.spring;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A Spring Boot application on a real server and its own port, and a client of it. */
final class App implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(60))
            .build();

    final ConfigurableApplicationContext context;

    private App(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts on Tomcat. */
    static App servlet(Class<?> application, String... properties) {
        return start(WebApplicationType.SERVLET, application, properties);
    }

    /**
     * Starts on Netty, with a connection for each request. Reactor Netty up to 1.3.7, which Spring Boot 4.1.1 uses, may
     * stop reading from a connection when a response is complete at once (reactor-netty issue 4361).
     */
    static App reactive(Class<?> application, String... properties) {
        String[] all = Stream.concat(Stream.of(properties), Stream.of("server.netty.max-keep-alive-requests=1"))
                .toArray(String[]::new);
        return start(WebApplicationType.REACTIVE, application, all);
    }

    /** Starts without a server. */
    static App plain(Class<?> application, String... properties) {
        return start(WebApplicationType.NONE, application, properties);
    }

    private static App start(WebApplicationType type, Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.jmx.enabled=false",
                "--spring.main.log-startup-info=false",
                "--logging.level.root=error",
                "--management.endpoints.web.exposure.include=*",
                "--spring.config.name=no-file"));
        Stream.of(properties).map(property -> "--" + property).forEach(arguments::add);
        return new App(new SpringApplicationBuilder(application)
                .web(type)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .run(arguments.toArray(String[]::new)));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, null, headers);
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        return CLIENT.send(request(method, path, body, headers), BodyHandlers.ofString());
    }

    /** Sends this many requests at once and returns their statuses. */
    List<Integer> together(int count, String path, String... headers) {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(CLIENT.sendAsync(request("GET", path, null, headers), BodyHandlers.ofString()));
        }
        return all.stream().map(one -> one.join().statusCode()).toList();
    }

    static long count(List<Integer> statuses, int status) {
        return statuses.stream().filter(each -> each == status).count();
    }

    static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse(null);
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(60))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        return builder.build();
    }

    @Override
    public void close() {
        context.close();
    }
}
