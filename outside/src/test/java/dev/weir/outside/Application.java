package dev.weir.outside;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** An application that runs in its own process and has reported its port. */
final class Application implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");
    private static final int START_TIMEOUT_SECONDS = 120;
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);

    private final Process process;
    private final Path log;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    private Application(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts {@code java} with these arguments and waits for the port. */
    static Application start(Path folder, String name, List<String> arguments) throws IOException {
        // The processes are short-lived: the optimizing compiler would take longer than it saves.
        List<String> command = Stream.of(
                        List.of(Workspace.java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"), arguments)
                .flatMap(List::stream)
                .toList();
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        Application application = new Application(process, folder.resolve(name + ".log"));
        Thread reader = new Thread(application::read, name);
        reader.setDaemon(true);
        reader.start();
        application.awaitPort();
        return application;
    }

    /**
     * The response to a caller, on a new connection: Reactor Netty up to 1.3.7, which Spring Boot 4 has, may stop
     * reading from a connection when a response is complete at once (reactor-netty issue 4361).
     */
    HttpResponse<String> get(String path, String caller) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.join() + path))
                .timeout(ANSWER_TIMEOUT)
                .header("X-Api-Key", caller)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader();
                var copy = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                copy.write(line);
                copy.newLine();
                copy.flush();
                Matcher matcher = PORT.matcher(line);
                if (matcher.find()) {
                    port.complete(Integer.valueOf(matcher.group(1)));
                }
            }
            port.completeExceptionally(new IOException("the application ended before it had a port"));
        } catch (IOException e) {
            port.completeExceptionally(e);
        }
    }

    private void awaitPort() {
        try {
            int unused = port.get(START_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            close();
            throw new AssertionError(e + "\n" + text(), e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String text() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
