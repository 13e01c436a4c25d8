package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import dev.weir.cli.terminal.Style;
import dev.weir.engine.config.ConfigurationReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files of the distribution that no compiler sees: manifests, start script, unit, image, start card. */
@Tag("io")
class PackagingTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"config.yaml", "redis.yaml", "cluster.yaml"})
    void manifest_fitsTheSchemaOfKubernetes(String name) throws Exception {
        for (Map<?, ?> document : documents(name)) {
            assertThat(fault(document)).as(name + " " + document.get("kind")).isEmpty();
        }
    }

    @Test
    void schemaCheck_findsUnknownMissingAndWrongFields() throws Exception {
        Map<String, Object> service = new HashMap<>(Map.of("apiVersion", "v1", "kind", "Service"));
        service.put("metadata", Map.of("nam", "x"));
        assertThat(fault(service)).contains("`nam` in the JSON string is not defined in the `V1ObjectMeta`");
        service.put("metadata", Map.of("name", "x"));
        service.put("spec", Map.of("ports", List.of(Map.of("name", "http"))));
        assertThat(fault(service)).contains("required field `port` is not found");
        service.put("spec", Map.of("ports", List.of(Map.of("port", "http"))));
        assertThat(fault(service)).contains("NumberFormatException");
        service.put("spec", Map.of("ports", List.of(Map.of("port", 8080))));
        assertThat(fault(service)).isEmpty();
        service.put("apiVersion", "apps/v1");
        assertThat(fault(service)).contains("apps/v1");
    }

    /** What the types of the Kubernetes API, which are generated from its description, refuse; empty if nothing. */
    private static String fault(Map<?, ?> document) throws ReflectiveOperationException {
        String kind = String.valueOf(document.get("kind"));
        String version = Map.of(
                        "Deployment", "apps/v1",
                        "StatefulSet", "apps/v1",
                        "PodDisruptionBudget", "policy/v1")
                .getOrDefault(kind, "v1");
        if (!version.equals(document.get("apiVersion"))) {
            return kind + " is in " + version + ", not in " + document.get("apiVersion");
        }
        JsonElement json = new Gson().toJsonTree(document);
        // By reflection, because the annotations of these classes are in libraries that are not here.
        Class<?> type = Class.forName("io.kubernetes.client.openapi.models.V1" + kind);
        try {
            type.getMethod("validateJsonElement", JsonElement.class).invoke(null, json);
            Object unused = new GsonBuilder()
                    .registerTypeAdapter(OffsetDateTime.class, (JsonDeserializer<OffsetDateTime>)
                            (text, to, context) -> OffsetDateTime.parse(text.getAsString()))
                    .create()
                    .fromJson(json, type);
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause());
        } catch (JsonParseException e) {
            return String.valueOf(e);
        }
        return "";
    }

    @Test
    void manifests_referToEachOther() throws Exception {
        Set<String> secrets = new TreeSet<>();
        Set<String> wanted = new TreeSet<>();
        for (Map<?, ?> document : documents("config.yaml")) {
            if ("Secret".equals(document.get("kind"))) {
                ((Map<?, ?>) document.get("stringData")).keySet().forEach(key -> secrets.add(String.valueOf(key)));
            } else {
                String yaml = String.valueOf(((Map<?, ?>) document.get("data")).get("weir.yaml"));
                assertThat(new ConfigurationReader()
                                .read("weir.yaml", yaml)
                                .orThrow()
                                .limits())
                        .isNotEmpty();
            }
        }
        for (String name : List.of("redis.yaml", "cluster.yaml")) {
            for (Map<?, ?> document : documents(name)) {
                collectKeys(document, wanted);
                if (document.get("spec") instanceof Map<?, ?> spec
                        && spec.get("template") instanceof Map<?, ?> template) {
                    assertThat(((Map<?, ?>) template.get("metadata")).get("labels"))
                            .isEqualTo(((Map<?, ?>) spec.get("selector")).get("matchLabels"));
                    // A Service named weir would set WEIR_PORT=tcp://…, which is an option of the server.
                    assertThat(((Map<?, ?>) template.get("spec")).get("enableServiceLinks"))
                            .isEqualTo(false);
                }
            }
        }
        assertThat(secrets).containsAll(wanted);
    }

    private static void collectKeys(Object node, Set<String> keys) {
        if (node instanceof Map<?, ?> map) {
            if (map.get("secretKeyRef") instanceof Map<?, ?> reference) {
                keys.add(String.valueOf(reference.get("key")));
            }
            map.values().forEach(value -> collectKeys(value, keys));
        } else if (node instanceof List<?> list) {
            list.forEach(value -> collectKeys(value, keys));
        }
    }

    private static List<Map<?, ?>> documents(String name) throws Exception {
        List<Map<?, ?>> documents = new ArrayList<>();
        String text = Files.readString(ROOT.resolve("packaging/kubernetes").resolve(name));
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
            documents.add((Map<?, ?>) document);
        }
        assertThat(documents).isNotEmpty();
        return documents;
    }

    @Test
    void startScript_startsTheJarWithAnyJavaRuntime_throughLinks() throws Exception {
        Path home = Files.createDirectories(directory.resolve("weir-1"));
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Path script = Files.copy(ROOT.resolve("packaging/bin/weir"), home.resolve("bin/weir"));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        Path link = Files.createSymbolicLink(directory.resolve("weir"), Path.of("weir-1/bin/weir"));
        assertThat(run(link.toString(), "--version")).contains("lib/weir.jar is missing; unpack the whole archive");

        // A jar without classes of its own: its manifest names the classes under test.
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        manifest.getMainAttributes().putValue("Main-Class", Main.class.getName());
        StringBuilder path = new StringBuilder();
        for (String entry : ServeCommandTest.classPath().split(":", -1)) {
            path.append(Path.of(entry).toUri()).append(' ');
        }
        manifest.getMainAttributes().putValue("Class-Path", path.toString());
        new JarOutputStream(Files.newOutputStream(home.resolve("lib/weir.jar")), manifest).close();
        assertThat(run(link.toString(), "--version")).startsWith("weir ");
        assertThat(run("env", "JAVA_HOME=/nowhere", link.toString(), "--version"))
                .contains("JAVA_HOME is '/nowhere', where there is no bin/java; install a Java runtime 17 or newer");
        assertThat(run("env", "-u", "JAVA_HOME", "PATH=/nowhere", "/bin/sh", script.toString()))
                .isNotEmpty();
    }

    private static String run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putIfAbsent("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        return text;
    }

    @Test
    void image_copiesOnlyWhatTheArchiveHas_andRunsAsAnUnprivilegedUser() throws Exception {
        String file = Files.readString(ROOT.resolve("packaging/Dockerfile"));
        String build = Files.readString(ROOT.resolve("packaging/build"));
        assertThat(file).contains("USER 10001:10001", "ENTRYPOINT [\"/opt/weir/bin/weir\"]");
        file.lines().filter(line -> line.startsWith("COPY ")).forEach(line -> {
            String first = line.split(" ", -1)[1].replaceAll("/.*", "");
            assertThat(build).as(line).contains(first);
        });
    }

    @Test
    void startCard_namesWhatAFirstUserNeeds_quotedForEveryShell() {
        StartCard card = new StartCard(
                "http://127.0.0.1:8080",
                "presets/agent-hub.yaml",
                new ConfigurationReader().preset("agent-hub").orThrow(),
                false);
        assertThat(String.join("\n", card.lines(Style.PLAIN)))
                .contains(
                        "dashboard    http://127.0.0.1:8080/",
                        "limits from  presets/agent-hub.yaml (3 limits: ",
                        "store        memory",
                        "admin API    off; --admin-token-file FILE turns it on",
                        "curl -s 'http://127.0.0.1:8080/v1/check' -d '{\"attributes\":{\"agent\":\"a1\",");
    }
}
