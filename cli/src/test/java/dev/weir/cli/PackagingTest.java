package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.terminal.Style;
import dev.weir.engine.config.ConfigurationReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    /**
     * The part of the Kubernetes API that the manifests use, from its OpenAPI description of 1.31. A row is a type, its
     * required fields with a star, and the type of a field behind a colon; [] is a list, {} a map of texts.
     */
    private static final String API = """
            Deployment apiVersion* kind* metadata*:Meta spec*:DeploymentSpec
            StatefulSet apiVersion* kind* metadata*:Meta spec*:StatefulSetSpec
            Service apiVersion* kind* metadata*:Meta spec*:ServiceSpec
            PodDisruptionBudget apiVersion* kind* metadata*:Meta spec*:BudgetSpec
            ConfigMap apiVersion* kind* metadata*:Meta data:{}
            Secret apiVersion* kind* metadata*:Meta type stringData:{}
            Meta name* labels:{}
            LabelMeta labels*:{}
            DeploymentSpec replicas selector*:Selector strategy:Strategy template*:Template
            StatefulSetSpec serviceName* replicas podManagementPolicy selector*:Selector template*:Template volumeClaimTemplates:[Claim]
            Strategy rollingUpdate:Rolling
            Rolling maxUnavailable maxSurge
            Selector matchLabels*:{}
            Template metadata*:LabelMeta spec*:PodSpec
            PodSpec terminationGracePeriodSeconds securityContext:PodSecurity affinity:Affinity containers*:[Container] volumes:[Volume]
            PodSecurity runAsNonRoot runAsUser runAsGroup fsGroup seccompProfile:Seccomp
            Seccomp type*
            Affinity podAntiAffinity:AntiAffinity
            AntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[Weighted]
            Weighted weight* podAffinityTerm*:Term
            Term topologyKey* labelSelector:Selector
            Container name* image* args:[] env:[Env] ports:[Port] startupProbe:Probe livenessProbe:Probe readinessProbe:Probe resources:Resources securityContext:Security volumeMounts:[Mount]
            Env name* value valueFrom:From
            From secretKeyRef:KeyRef fieldRef:FieldRef
            KeyRef name* key*
            FieldRef fieldPath*
            Port name containerPort*
            Probe httpGet*:Get periodSeconds failureThreshold
            Get path port*
            Resources requests:{} limits:{}
            Security allowPrivilegeEscalation readOnlyRootFilesystem capabilities:Capabilities
            Capabilities drop:[]
            Mount name* mountPath* readOnly
            Volume name* configMap:Named emptyDir:Empty secret:SecretVolume
            Named name*
            Empty
            SecretVolume secretName* defaultMode
            Claim metadata*:Meta spec*:ClaimSpec
            ClaimSpec accessModes*:[] resources*:Resources
            ServiceSpec clusterIP publishNotReadyAddresses selector*:{} ports*:[ServicePort]
            ServicePort name port* targetPort
            BudgetSpec minAvailable maxUnavailable selector*:Selector
            """;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"config.yaml", "redis.yaml", "cluster.yaml"})
    void manifest_fitsTheSchemaOfKubernetes(String name) throws Exception {
        List<String> faults = new ArrayList<>();
        for (Map<?, ?> document : documents(name)) {
            check(document, String.valueOf(document.get("kind")), name + " " + document.get("kind"), faults);
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void schemaCheck_findsUnknownAndMissingFields() {
        List<String> faults = new ArrayList<>();
        check(Map.of("apiVersion", "v1", "kind", "Service", "metadata", Map.of("nam", "x")), "Service", "s", faults);
        assertThat(faults).contains("s.metadata: unknown nam", "s.metadata: lacks name", "s: lacks spec");
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

    private static void check(Map<?, ?> node, String type, String path, List<String> faults) {
        Map<String, String> fields = new HashMap<>();
        String row = API.lines()
                .filter(line -> line.split(" ", -1)[0].equals(type))
                .findFirst()
                .orElse("");
        if (row.isEmpty()) {
            faults.add(path + ": unknown type " + type);
            return;
        }
        for (String field : row.substring(type.length()).strip().split(" ")) {
            String name = field.replaceAll("[*:].*", "");
            fields.put(name, field.contains(":") ? field.substring(field.indexOf(':') + 1) : "");
            if (field.contains("*") && node.get(name) == null) {
                faults.add(path + ": lacks " + name);
            }
        }
        node.forEach((key, value) -> {
            String expected = fields.get(String.valueOf(key));
            String place = path + "." + key;
            if (expected == null) {
                faults.add(path + ": unknown " + key);
            } else if (expected.equals("{}")) {
                if (!(value instanceof Map)) {
                    faults.add(place + ": no map");
                }
            } else if (expected.startsWith("[")) {
                String item = expected.substring(1, expected.length() - 1);
                if (!(value instanceof List<?> list)) {
                    faults.add(place + ": no list");
                } else if (!item.isEmpty()) {
                    list.forEach(each -> check((Map<?, ?>) each, item, place, faults));
                }
            } else if (!expected.isEmpty()) {
                if (value instanceof Map<?, ?> map) {
                    check(map, expected, place, faults);
                } else {
                    faults.add(place + ": no mapping");
                }
            } else if (value instanceof Map || value instanceof List) {
                faults.add(place + ": no scalar");
            }
        });
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
