package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.fixture.RedisProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The distribution, packed from the packaged jar, on a machine that has a Java runtime and neither JDK nor Maven. */
class DistributionIT {
    private static final Path JDK = Path.of(System.getProperty("java.home"));
    private static final Pattern LISTENING = Pattern.compile("weir is listening on \\S+:(\\d+)");
    private static final int USER = 10_001;

    @TempDir
    static Path directory;

    private static Path archives;
    private static Path home;
    /** A directory with links to all programs that the start script needs, and to Java. */
    private static Path programs;

    @BeforeAll
    static void packAndUnpack() throws Exception {
        // The image's user reads it, too.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        archives = directory.resolve("dist");
        output(ROOT.resolve("packaging/build"), JDK, archives);
        output("tar", "-xzf", only(archives, ".tar.gz"), "-C", directory);
        home = only(directory, "weir-");

        Path runtime = directory.resolve("runtime");
        output(
                JDK.resolve("bin/jlink"),
                "--add-modules",
                "java.se,jdk.crypto.ec,jdk.management,jdk.naming.dns,jdk.unsupported",
                "--output",
                runtime);
        assertThat(runtime.resolve("bin/javac")).doesNotExist();
        programs = Files.createDirectory(directory.resolve("programs"));
        Files.createSymbolicLink(programs.resolve("java"), runtime.resolve("bin/java"));
        for (String program : List.of("dirname", "mkdir", "readlink", "sed", "sh")) {
            Files.createSymbolicLink(programs.resolve(program), Path.of("/bin", program));
        }
    }

    /** So that JUnit does not meet links out of its directory. */
    @AfterAll
    static void deleteLinks() throws IOException {
        try (Stream<Path> links = Files.list(programs)) {
            for (Path link : links.toList()) {
                Files.delete(link);
            }
        }
    }

    @Test
    void archive_unpacked_servesWithAJavaRuntimeAlone() throws Exception {
        Path elsewhere = Files.createDirectories(directory.resolve("with a space"));
        ProcessBuilder builder = new ProcessBuilder(
                        home.resolve("bin/weir").toString(), "serve", "--port", "0", "--grpc-port", "0")
                .directory(elsewhere.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", programs.toString());
        builder.environment().put("HOME", elsewhere.toString());
        try (Running server = new Running(builder)) {
            assertThat(server.get("/health/ready")).contains("\"up\"");
            assertThat(server.check("{\"attributes\":{\"agent\":\"a1\",\"action\":\"ping\"}}"))
                    .startsWith("{\"allowed\":true");
            assertThat(server.get("/")).contains("<title>");
            server.stop();
            assertThat(server.errors()).contains("weir is stopping").doesNotContain("WARN", "Exception");
        }
    }

    @Test
    void archives_haveTheSameFilesAndPermissions() throws Exception {
        Map<String, String> unzipped = new TreeMap<>();
        Path zip = only(archives, ".zip");
        try (FileSystem files = FileSystems.newFileSystem(zip, Map.of("enablePosixFileAttributes", true))) {
            collect(files.getPath("/").resolve(home.getFileName().toString()), unzipped);
        }
        Map<String, String> untarred = new TreeMap<>();
        collect(home, untarred);
        assertThat(unzipped).isEqualTo(untarred);
        assertThat(untarred.get("bin/weir")).startsWith("rwxr-xr-x ");
        assertThat(untarred.keySet())
                .contains(
                        "Dockerfile",
                        "LICENSE",
                        "NOTICE",
                        "README.md",
                        "THIRD-PARTY.txt",
                        "kubernetes/cluster.yaml",
                        "lib/weir.jar",
                        "presets/agent-hub.yaml",
                        "share/completion/_weir",
                        "share/completion/weir.bash",
                        "share/completion/weir.fish",
                        "share/man/man1/weir.1",
                        "systemd/weir.service");
    }

    private static void collect(Path root, Map<String, String> found) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                int content = Arrays.hashCode(Files.readAllBytes(file));
                found.put(root.relativize(file).toString(), permissions + " " + content);
            }
        }
    }

    @Test
    void secondBuild_givesEqualFiles() throws Exception {
        Path again = directory.resolve("again");
        output(ROOT.resolve("packaging/build"), JDK, again);
        assertThat(again.resolve("SHA256SUMS")).hasSameTextualContentAs(archives.resolve("SHA256SUMS"));
        output("sh", "-c", "cd \"$0\" && sha256sum --check --quiet SHA256SUMS", again);
    }

    @Test
    void notices_nameEveryLibraryInTheJar() throws Exception {
        String notices = Files.readString(home.resolve("THIRD-PARTY.txt"));
        Set<String> named = match("(?m)^([\\w.-]+:[\\w.-]+:[\\w.-]+)\n=+\n(?:Licence: .+\n|\n--- )", notices);
        String resolved = Files.readString(ROOT.resolve("cli/target/dependencies.txt"));
        Set<String> expected = Pattern.compile(
                        "(?m)^ +([\\w.-]+):([\\w.-]+):jar:(?:[\\w.-]+:)?([\\w.-]+):(?:compile|runtime)\\b")
                .matcher(resolved)
                .results()
                .filter(library -> !library.group(1).equals("dev.weir"))
                .map(library -> library.group(1) + ":" + library.group(2) + ":" + library.group(3))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(expected).hasSizeGreaterThan(20);
        assertThat(named).isEqualTo(expected);
        assertThat(notices).contains("Copyright").doesNotContain("\r");

        // What the jar itself says about its parts.
        Set<String> parts = new TreeSet<>();
        try (JarFile jar = new JarFile(home.resolve("lib/weir.jar").toFile())) {
            jar.stream()
                    .flatMap(entry -> match("^META-INF/maven/([^/]+/[^/]+)/pom.properties$", entry.getName()).stream())
                    .map(part -> part.replace('/', ':'))
                    .filter(part -> !part.startsWith("dev.weir:"))
                    .forEach(parts::add);
        }
        Set<String> withoutVersion =
                named.stream().map(name -> name.replaceFirst(":[^:]*$", "")).collect(Collectors.toSet());
        assertThat(parts).hasSizeGreaterThan(10).allMatch(part -> withoutVersion.contains(part) || isShaded(part));
    }

    /** Netty's jar contains a copy of JCTools, under the same licence. */
    private static boolean isShaded(String part) {
        return part.startsWith("org.jctools:");
    }

    private static Set<String> match(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void debianPackage_hasItsFilesWhereDebianLooksForThem() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/dpkg-deb")), "there is no dpkg-deb");
        Path deb = only(archives, ".deb");
        assertThat(output("dpkg-deb", "--field", deb))
                .contains("Package: weir\n", "Architecture: all\n", "Depends: openjdk-17-jre-headless |");
        Path root = directory.resolve("debian");
        output("dpkg-deb", "-R", deb, root);
        output("sh", "-c", "cd \"$0\" && md5sum --check --quiet DEBIAN/md5sums", root);
        for (String script : List.of("postinst", "prerm", "postrm")) {
            assertThat(Files.isExecutable(root.resolve("DEBIAN").resolve(script)))
                    .isTrue();
        }
        assertThat(root.resolve("etc/weir/weir.yaml")).exists();
        assertThat(root.resolve("usr/lib/systemd/system/weir.service"))
                .content()
                .contains("ExecStart=/usr/bin/weir serve --config /etc/weir/weir.yaml ");

        ProcessBuilder version = new ProcessBuilder(root.resolve("usr/bin/weir").toString(), "--version");
        version.environment().clear();
        version.environment().put("PATH", programs.toString());
        assertThat(output(version)).startsWith("weir ");

        if (Files.exists(Path.of("/usr/bin/lintian"))) {
            assertThat(output("lintian", "--fail-on", "error", "--no-cfg", deb)).doesNotContain("E: ");
        }
    }

    /** The container of redis.yaml without a container engine: its files in a directory, its user, its environment. */
    @Test
    void imageOfTheDeployment_servesAsItsUser_andWritesOnlyItsData() throws Exception {
        Image image = new Image(Files.createDirectories(directory.resolve("image")));
        image.build(Files.readString(home.resolve("Dockerfile")).replace("\\\n", ""));
        try (RedisProcess redis = RedisProcess.start()) {
            ProcessBuilder builder = image.command(List.of("serve", "--config", "/etc/weir/weir.yaml"));
            builder.environment().put("WEIR_STORE", redis.uri());
            builder.environment().put("WEIR_ADMIN_TOKEN", "change-this-token");
            builder.environment().put("WEIR_PORT", "0");
            try (Running server = new Running(builder)) {
                assertThat(server.get("/health/live")).contains("\"up\"");
                assertThat(server.get("/health/ready")).contains("\"up\"");
                assertThat(server.check("{\"attributes\":{\"agent\":\"a1\",\"action\":\"ping\"}}"))
                        .startsWith("{\"allowed\":true");
                if (Image.canSwitchUser()) {
                    assertThat(Files.readString(Path.of("/proc/" + server.process.pid() + "/status")))
                            .contains("Uid:\t" + USER + "\t" + USER, "Gid:\t" + USER + "\t" + USER);
                }
                server.stop();
                assertThat(server.errors()).contains("\"message\":").doesNotContain("Exception");
            }
        }
        assertThat(image.writable()).as("files of the image's user").allMatch(file -> file.startsWith("var/lib/weir"));
    }

    /** The part of a Dockerfile that needs no engine. */
    private record Image(Path root, Map<String, String> environment, List<String> entryPoint) {
        Image(Path root) {
            this(root, new HashMap<>(), new ArrayList<>());
        }

        static boolean canSwitchUser() {
            return "root".equals(System.getProperty("user.name")) && Files.exists(Path.of("/usr/bin/setpriv"));
        }

        void build(String file) throws Exception {
            for (String line : file.lines().toList()) {
                String[] words = line.split(" +");
                switch (words[0]) {
                    case "COPY" -> copy(words);
                    case "RUN" -> {
                        Path data = Files.createDirectories(root.resolve("var/lib/weir"));
                        if (canSwitchUser()) {
                            output("chown", USER + ":" + USER, data);
                        }
                    }
                    case "USER" -> assertThat(words[1]).isEqualTo(USER + ":" + USER);
                    case "ENV" ->
                        Pattern.compile("(\\w+)=(\"[^\"]*\"|\\S+)")
                                .matcher(line)
                                .results()
                                .forEach(found -> environment.put(
                                        found.group(1), found.group(2).replace("\"", "")));
                    case "ENTRYPOINT" -> entryPoint.addAll(match("\"([^\"]*)\"", line));
                    default ->
                        assertThat(words[0]).isIn("", "#", "FROM", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "CMD");
                }
            }
        }

        private void copy(String[] words) throws Exception {
            String last = words[words.length - 1];
            Path target = root.resolve(last.substring(1));
            Files.createDirectories(last.endsWith("/") ? target : target.getParent());
            for (String source : List.of(words).subList(1, words.length - 1)) {
                output("cp", "-r", home.resolve(source), target);
            }
        }

        ProcessBuilder command(List<String> arguments) {
            List<String> command = new ArrayList<>();
            if (canSwitchUser()) {
                command.addAll(List.of(
                        "/usr/bin/setpriv",
                        "--reuid",
                        "" + USER,
                        "--regid",
                        "" + USER,
                        "--clear-groups",
                        "--no-new-privs"));
            }
            entryPoint.forEach(word -> command.add(inside(word)));
            arguments.forEach(word -> command.add(inside(word)));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(root.resolve("var/lib/weir").toFile());
            builder.environment().clear();
            builder.environment().put("PATH", programs.toString());
            environment.forEach((name, value) -> builder.environment().put(name, inside(value)));
            return builder;
        }

        private String inside(String word) {
            return word.matches("/(opt|etc|var)/.*") ? root + word : word;
        }

        List<String> writable() throws IOException {
            try (Stream<Path> files = Files.walk(root)) {
                return files.filter(file -> owner(file) == USER)
                        .map(file -> root.relativize(file).toString())
                        .toList();
            }
        }

        private static int owner(Path file) {
            try {
                return (Integer) Files.getAttribute(file, "unix:uid");
            } catch (IOException e) {
                return USER;
            }
        }
    }

    /** A server that a test stops. */
    private static final class Running implements AutoCloseable {
        private final Path errors = Files.createTempFile(directory, "errors", "");
        private final Process process;
        private final BufferedReader lines;
        private final String url;

        Running(ProcessBuilder builder) throws IOException {
            process = builder.redirectError(errors.toFile()).start();
            lines = process.inputReader(StandardCharsets.UTF_8);
            String line = lines.readLine();
            assertThat(line).as(errors()).containsPattern(LISTENING);
            url = "http://127.0.0.1:"
                    + match(LISTENING.pattern(), line).iterator().next();
        }

        String get(String path) throws Exception {
            return send(HttpRequest.newBuilder(URI.create(url + path)));
        }

        String check(String body) throws Exception {
            return send(HttpRequest.newBuilder(URI.create(url + "/v1/check"))
                    .POST(HttpRequest.BodyPublishers.ofString(body)));
        }

        private static String send(HttpRequest.Builder request) throws Exception {
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return response.body();
        }

        /** Sends SIGTERM: the server drains and ends with 0. */
        void stop() throws Exception {
            process.toHandle().destroy();
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(errors()).isZero();
        }

        String errors() throws IOException {
            return Files.readString(errors);
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            lines.close();
        }
    }

    /** The only entry of a directory whose name has this part. */
    private static Path only(Path parent, String part) throws IOException {
        try (Stream<Path> files = Files.list(parent)) {
            List<Path> found = files.filter(
                            file -> file.getFileName().toString().contains(part))
                    .toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }
    }

    private static String output(Object... command) throws Exception {
        return output(
                new ProcessBuilder(Stream.of(command).map(Object::toString).toList()));
    }

    /** Runs a command, which must succeed. */
    private static String output(ProcessBuilder builder) throws Exception {
        Process process = builder.redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(builder.command() + "\n" + text).isZero();
        return text;
    }
}
