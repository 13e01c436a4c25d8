package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.DocumentationPages;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("io")
class DocumentationPagesTest {
    @TempDir
    Path directory;

    @AfterEach
    void forget() {
        System.clearProperty(DocumentationPages.DIRECTORY);
    }

    @Test
    void directoryWithPages_isServedUnderDocs() throws Exception {
        Files.writeString(directory.resolve("index.html"), "<h1>First</h1>");
        Files.createDirectories(directory.resolve("javadoc"));
        Files.writeString(directory.resolve("javadoc/index.html"), "<h1>API</h1>");
        Files.writeString(directory.resolve("main.js"), "1");
        try (TestServer server = start()) {
            HttpResponse<String> first = server.get("/docs/");
            assertThat(first.body()).isEqualTo("<h1>First</h1>");
            assertThat(first.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
            assertThat(policy(first)).contains("script-src 'self';");
            assertThat(policy(server.get("/docs/javadoc/index.html"))).contains("script-src 'self' 'unsafe-inline';");
            assertThat(server.get("/docs/javadoc/").body()).isEqualTo("<h1>API</h1>");
            assertThat(server.get("/docs/main.js").headers().firstValue("content-type"))
                    .hasValue("text/javascript; charset=utf-8");
            assertThat(server.get("/v1/overview").body()).contains("\"docs\":\"/docs/\"");
        }
    }

    @Test
    void pathsThatLeaveTheDirectory_areNotFound() throws Exception {
        Path site = Files.createDirectories(directory.resolve("site"));
        Files.writeString(directory.resolve("secret.txt"), "secret");
        Files.writeString(site.resolve("index.html"), "page");
        System.setProperty(DocumentationPages.DIRECTORY, site.toString());
        try (TestServer server = TestServer.preset("agent-hub")) {
            for (String path :
                    new String[] {"/docs/../secret.txt", "/docs/%2e%2e/secret.txt", "/docs/..%2fsecret.txt"}) {
                assertThat(server.get(path).statusCode()).as(path).isEqualTo(404);
            }
        }
    }

    @Test
    void fileThatWasDeletedSince_isNotFound() throws Exception {
        Files.writeString(directory.resolve("index.html"), "page");
        try (TestServer server = start()) {
            Files.delete(directory.resolve("index.html"));
            assertThat(server.get("/docs/").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void noDirectory_noPages() throws IOException {
        try (TestServer server = start()) {
            assertThat(server.get("/docs/").statusCode()).isEqualTo(404);
            assertThat(server.get("/v1/overview").body()).contains("\"docs\":null");
        }
    }

    private TestServer start() {
        System.setProperty(DocumentationPages.DIRECTORY, directory.toString());
        return TestServer.preset("agent-hub");
    }

    private static String policy(HttpResponse<String> response) {
        return response.headers().firstValue("content-security-policy").orElse("");
    }
}
