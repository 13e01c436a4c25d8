package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.EdgeVectors;
import dev.weir.fixture.Readiness;
import dev.weir.fixture.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real nginx, Caddy and HAProxy proxies before an application on Node. Every served protected path counts, and every client is
 * identified correctly, whatever is sent. The application decodes a path in all usual ways.
 */
@Tag("io")
class ProxiedEdgeTest {
    private static final String PATHS = "version: 1\ntrusted-proxies: [127.0.0.1/32]\n"
            + "limits: [{ name: protected, match: { path: " + EdgeVectors.PROTECTED + " }, rate: 1000000/hour }]\n";

    private static final String APPLICATION = """
            const resources = /^(\\/export(\\/[^]*)?|\\/login\\/?|\\/v1\\/models\\/[^\\/]*:generate\\/?|\\/café\\/?)$/;
            const path = require('path');
            const readings = [
              sent => sent,
              sent => Buffer.from(sent, 'latin1').toString('utf8'),
              sent => decodeURIComponent(sent),
              sent => decodeURI(sent),
              sent => path.posix.normalize(sent),
              sent => path.posix.normalize(decodeURIComponent(sent)),
              sent => path.win32.normalize(decodeURIComponent(sent)).replaceAll('\\\\', '/'),
              sent => new URL(sent, 'http://localhost').pathname,
              sent => decodeURIComponent(new URL(sent, 'http://localhost').pathname),
              sent => require('url').parse(sent).pathname,
              sent => sent.replace(/\\/+/g, '/'),
              sent => sent.replace(/;[^\\/]*/g, ''),
              sent => path.posix.normalize(decodeURIComponent(sent.replace(/;[^\\/]*/g, ''))),
              sent => unescape(sent).split('\\0')[0],
            ];
            function isProtected(sent, read) {
              try {
                return resources.test(read(sent));
              } catch (malformed) {
                return false;
              }
            }
            require('http').createServer((request, response) => {
              const sent = request.url.split('?')[0];
              const served = readings.some(read => isProtected(sent, read)) ? 'protected' : 'other';
              response.writeHead(200, { 'X-Served': served });
              response.end();
            }).listen(Number(process.argv[2]), '127.0.0.1');
            """;

    private static final String FORWARDED_FOR =
            "proxy_pass_request_headers off; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";

    /** The only setting with which nginx 1.22 forwards all lines of a header. */
    private static final String FORWARDED = "proxy_set_header X-Forwarded-For \"\";";

    @TempDir
    static Path directory;

    private static ServerProcess node;

    @BeforeAll
    static void startNode() throws IOException {
        Path script = directory.resolve("application.js");
        Files.writeString(script, APPLICATION);
        node = ServerProcess.start(
                "node",
                (port, unused) -> new ProcessBuilder("node", script.toString(), Integer.toString(port)),
                Readiness.accepts());
    }

    @AfterAll
    static void stopNode() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void nginx_paths_areCountedAsTheyAreServed() throws Exception {
        // With a path after the address, nginx forwards the decoded and resolved path; without one, the original.
        for (String passed : new String[] {"", "/"}) {
            try (TestServer weir = TestServer.yaml(PATHS);
                    ServerProcess nginx = nginx(weir, passed, FORWARDED_FOR)) {
                assertThat(EdgeVectors.pathFaults(nginx.port())).as(passed).isEmpty();
            }
        }
    }

    @Test
    void caddy_paths_areCountedAsTheyAreServed() throws Exception {
        try (TestServer weir = TestServer.yaml(PATHS);
                ServerProcess caddy = caddy(weir, "")) {
            assertThat(EdgeVectors.pathFaults(caddy.port())).isEmpty();
        }
    }

    @Test
    void haproxy_paths_areCountedAsTheyAreServed() throws Exception {
        try (TestServer weir = TestServer.yaml(PATHS);
                ServerProcess haproxy = HAProxyTest.haproxy(
                        GatewaySite.guide("haproxy.md", "haproxy", weir.server.port(), node.port()))) {
            assertThat(EdgeVectors.pathFaults(haproxy.port())).isEmpty();
        }
    }

    @Test
    void nginx_addresses_areOneClient() throws Exception {
        for (String header : List.of("x-forwarded-for", "forwarded")) {
            try (TestServer weir = TestServer.yaml(EdgeVectors.addressYaml(header));
                    ServerProcess nginx = nginx(weir, "", header.equals("forwarded") ? FORWARDED : FORWARDED_FOR)) {
                assertThat(EdgeVectors.addressFaults(nginx.port(), header)).isEmpty();
            }
        }
    }

    @Test
    void caddy_addresses_areOneClient() throws Exception {
        for (String header : List.of("x-forwarded-for", "forwarded")) {
            try (TestServer weir = TestServer.yaml(EdgeVectors.addressYaml(header));
                    ServerProcess caddy = caddy(weir, header.equals("forwarded") ? "header_up -X-Forwarded-For" : "")) {
                // Caddy replaces an empty header by the address of its own client.
                assertThat(EdgeVectors.addressFaults(caddy.port(), header))
                        .filteredOn(fault -> !fault.startsWith("X-Forwarded-For: : must be unknown, is 127.0.0.1"))
                        .isEmpty();
            }
        }
    }

    private static ServerProcess nginx(TestServer weir, String passed, String headers) {
        String user = System.getProperty("user.name").equals("root") ? "user root;\n" : "";
        return ServerProcess.start(
                "nginx",
                (port, own) -> {
                    Files.writeString(own.resolve("nginx.conf"), """
                            daemon off;
                            pid nginx.pid;
                            %sevents {}
                            http {
                              access_log off;
                              large_client_header_buffers 8 16k;
                              client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                              server {
                                listen 127.0.0.1:%d;
                                location / {
                                  auth_request /weir;
                                  auth_request_set $limit_remaining $upstream_http_x_ratelimit_remaining;
                                  auth_request_set $limit_limit $upstream_http_x_ratelimit_limit;
                                  add_header X-RateLimit-Remaining $limit_remaining;
                                  add_header X-RateLimit-Limit $limit_limit;
                                  proxy_pass http://127.0.0.1:%d%s;
                                }
                                location = /weir {
                                  internal;
                                  proxy_pass http://127.0.0.1:%d/v1/authorize/nginx;
                                  proxy_pass_request_body off;
                                  %s
                                  proxy_set_header X-Forwarded-Method $request_method;
                                  proxy_set_header X-Forwarded-Uri $request_uri;
                                }
                              }
                            }
                            """.formatted(
                                    user, port, node.port(), passed, weir.server.port(), headers));
                    return new ProcessBuilder(
                            "/usr/sbin/nginx", "-e", "stderr", "-p", own.toString(), "-c", "nginx.conf");
                },
                Readiness.accepts());
    }

    private static ServerProcess caddy(TestServer weir, String without) {
        return ServerProcess.start(
                "caddy",
                (port, own) -> {
                    Path file = own.resolve("Caddyfile");
                    Files.writeString(file, """
                            {
                                admin off
                                auto_https off
                            }
                            http://127.0.0.1:%d {
                                route {
                                    forward_auth 127.0.0.1:%d {
                                        uri /v1/authorize
                                        trusted_proxies 127.0.0.1/32
                                        %s
                                        copy_headers X-RateLimit-Remaining X-RateLimit-Limit
                                    }
                                    header X-RateLimit-Remaining {http.request.header.X-RateLimit-Remaining}
                                    header X-RateLimit-Limit {http.request.header.X-RateLimit-Limit}
                                    reverse_proxy 127.0.0.1:%d
                                }
                            }
                            """.formatted(port, weir.server.port(), without, node.port()));
                    ProcessBuilder caddy = new ProcessBuilder(
                            "/usr/bin/caddy", "run", "--config", file.toString(), "--adapter", "caddyfile");
                    caddy.environment().put("HOME", own.toString());
                    caddy.environment().put("XDG_DATA_HOME", own.toString());
                    caddy.environment().put("XDG_CONFIG_HOME", own.toString());
                    return caddy;
                },
                Readiness.accepts());
    }
}
