package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.JavaSnippet;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The middleware of the guide from express-rate-limit, in Node.js, with a request and a response like Express's. */
@Tag("io")
class ExpressGuideTest {
    private static final Path GUIDE = JavaExample.ROOT.resolve("docs/migrating/express-rate-limit.md");
    private static final String CALLS = """
            import { weir } from './weir.mjs'
            for (let i = 0; i < 101; i++) {
              const headers = {}
              const res = { statusCode: 200, setHeader: (name, value) => { headers[name] = value },
                            end: (body) => { res.body = body } }
              let nexts = 0
              await weir({ user: { id: 'ann' }, method: 'GET', originalUrl: '/api/x' }, res, (error) => {
                if (error) throw error
                nexts++
              })
              if (i === 0) console.log('first', nexts, headers['ratelimit'])
              if (i === 100) console.log('last', nexts, res.statusCode, headers['retry-after'] > 0, JSON.parse(res.body).limit)
            }
            """;

    @TempDir
    Path directory;

    @Test
    void middleware_passesOnTheDenial() throws Exception {
        List<String> middleware = JavaSnippet.blocks(GUIDE, "js middleware");
        List<String> configuration = JavaSnippet.blocks(GUIDE, "yaml");
        assertThat(middleware).hasSize(1);
        assertThat(configuration).hasSize(1);
        Files.writeString(directory.resolve("weir.mjs"), middleware.get(0).replace("timeout(1000)", "timeout(60000)"));
        Files.writeString(directory.resolve("calls.mjs"), CALLS);
        Path limits = Files.writeString(directory.resolve("limits.yaml"), configuration.get(0));
        try (WeirServer server = WeirServer.start(ServerOptions.of(ConfigurationSource.file(limits))
                .withAddress("127.0.0.1", 0)
                .withData(directory)
                .withDrainDelay(Duration.ZERO))) {
            ProcessBuilder builder = new ProcessBuilder("node", "calls.mjs")
                    .directory(directory.toFile())
                    .redirectErrorStream(true);
            builder.environment().put("WEIR_SERVER", server.url());
            Process node = builder.start();
            String printed = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(node.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(printed).isEqualTo("first 1 \"api\";r=99;t=900\nlast 0 429 true api\n");
        }
    }
}
