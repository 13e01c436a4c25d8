package dev.weir.release;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The fast loop leaves out tests with the tag {@code io}. A test class has the tag if it opens a socket, starts a
 * process or queries a database, directly or through another class of its tests.
 */
class UnitTestsTest {
    /** Names that no unit test needs: of the JDK, of servers and drivers, and of this project's fixtures. */
    private static final Pattern OPENS = Pattern.compile("\\b(?:"
            + Stream.of(
                            "HttpClient|HttpServer|URLConnection|openConnection|openStream",
                            "Socket|ServerSocket|DatagramSocket|SocketChannel|ServerSocketChannel",
                            "ProcessBuilder|ProcessHandle|DriverManager",
                            "EmbeddedPostgres|Jetty|Playwright|RedisClient|Tomcat|Vertx\\.vertx",
                            "NettyServerBuilder|NettyChannelBuilder|InProcessServerBuilder",
                            "SpringApplication|SpringApplicationBuilder|WebTestClient|RANDOM_PORT",
                            "Ports|PostgresProcess|RawHttp|RedisProcess|ServerProcess|WorkerProcess",
                            "ClusterNode|JdbcBackend|RedisLink|SqliteConnection|WeirServer")
                    .collect(joining("|"))
            + ")\\b");

    private static final Pattern NO_CODE = Pattern.compile(
            "/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*");
    private static final Pattern PARENT = Pattern.compile("\\bclass \\w+(?:<[^{]*>)? extends (\\w+)");

    @Test
    void testClass_thatOpensSomething_isTagged() throws IOException {
        Map<String, String> untagged = new TreeMap<>();
        int seen = 0;
        for (Modules.Module module : SourceTree.modules().all()) {
            Path tests = module.directory().resolve("src/test/java");
            if (Files.exists(tests)) {
                Map<String, String> sources = read(tests);
                seen += sources.size();
                untagged(sources).forEach((name, why) -> untagged.put(module + ": " + name, why));
            }
        }
        assertThat(untagged).as("need @Tag(\"io\")").isEmpty();
        assertThat(seen).isGreaterThan(200);
    }

    @Test
    void scan_findsWhatOpensSomething_alsoThroughHelpers() {
        Map<String, String> sources = new HashMap<>();
        sources.put("PlainTest", "class PlainTest { String socket = \"new Socket()\"; /* ProcessBuilder */ }");
        sources.put("DirectTest", "class DirectTest { Object o = new ProcessBuilder(); }");
        sources.put("Helper", "class Helper { Starter starter; }");
        sources.put("Starter", "class Starter { ServerSocket socket; }");
        sources.put("HelpedTest", "class HelpedTest { Helper helper; }");
        sources.put("TaggedTest", "@Tag(\"io\") class TaggedTest { Helper helper; }");
        sources.put("HeirTest", "class HeirTest extends TaggedTest { Helper helper; }");
        sources.put("NeighbourTest", "class NeighbourTest { int most = DirectTest.MOST; }");

        assertThat(untagged(sources))
                .containsOnly(Map.entry("DirectTest", "ProcessBuilder"), Map.entry("HelpedTest", "ServerSocket"));
    }

    /** The sources of a module's tests, by class name. */
    private static Map<String, String> read(Path tests) throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> files = Files.walk(tests)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        return sources;
    }

    /** Test classes without the tag, and the names that they reach. */
    private static Map<String, String> untagged(Map<String, String> sources) {
        Map<String, String> code = new HashMap<>();
        sources.forEach((name, text) -> code.put(name, NO_CODE.matcher(text).replaceAll("")));
        Map<String, String> found = new TreeMap<>();
        for (String name : code.keySet()) {
            if (isTest(name) && !isTagged(name, sources, code)) {
                String opened = opened(name, code, new HashSet<>());
                if (!opened.isEmpty()) {
                    found.put(name, opened);
                }
            }
        }
        return found;
    }

    private static boolean isTest(String name) {
        return name.endsWith("Test") && !name.endsWith("UnderTest");
    }

    private static boolean isTagged(String name, Map<String, String> sources, Map<String, String> code) {
        return sources.get(name).contains("@Tag(\"io\")")
                || parents(name, code).stream().anyMatch(parent -> isTagged(parent, sources, code));
    }

    private static List<String> parents(String name, Map<String, String> code) {
        Matcher matcher = PARENT.matcher(code.get(name));
        return matcher.find() && code.containsKey(matcher.group(1)) ? List.of(matcher.group(1)) : List.of();
    }

    /** The first such name in a class or in a helper that it uses; empty if there is none. */
    private static String opened(String name, Map<String, String> code, Set<String> seen) {
        if (!seen.add(name)) {
            return "";
        }
        Matcher opens = OPENS.matcher(code.get(name));
        if (opens.find()) {
            return opens.group();
        }
        List<String> parents = parents(name, code);
        return NAME.matcher(code.get(name))
                .results()
                .map(match -> match.group())
                .distinct()
                .filter(code::containsKey)
                // Only constants of another test are used.
                .filter(other -> !isTest(other) || parents.contains(other))
                .map(other -> opened(other, code, seen))
                .filter(other -> !other.isEmpty())
                .findFirst()
                .orElse("");
    }
}
