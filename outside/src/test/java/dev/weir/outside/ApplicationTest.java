package dev.weir.outside;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Builds users' applications, starts each with its store, and sends requests until one is refused. */
class ApplicationTest {
    private static final String STARTER = "dev.weir:weir-spring-boot-starter";

    @BeforeAll
    static void build() throws Exception {
        List<Project> projects = new ArrayList<>();
        springBoot().map(Cell::project).forEach(projects::add);
        springCloudGateway().map(Cell::project).forEach(projects::add);
        plainJava().map(Cell::project).forEach(projects::add);
        Workspace.build(projects);
    }

    @ParameterizedTest
    @MethodSource
    void springBoot(Cell cell) throws Exception {
        long begun = System.nanoTime();
        Path folder = Workspace.folder(cell.project().name());
        String jar = "target/" + cell.project().name() + "-1.jar";
        try (Application application = Application.start(
                folder,
                "run-" + cell.store(),
                List.of(
                        "-jar",
                        jar,
                        "--server.port=0",
                        "--weir.store=" + cell.store().uri()))) {
            spendsThree(application, cell, "/hello");
            HttpResponse<String> refused = application.get("/hello", cell.caller());
            assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");

            String name = "/hello/" + cell.caller();
            assertThat(application.get(name, "1-" + cell.caller()).body()).isEqualTo("Hello, " + cell.caller());
            assertThat(application.get(name, "2-" + cell.caller()).statusCode()).isEqualTo(200);
            assertThat(application.get(name, "3-" + cell.caller()).statusCode()).isEqualTo(429);
        }
        report(cell, begun);
    }

    @ParameterizedTest
    @MethodSource
    void springCloudGateway(Cell cell) throws Exception {
        long begun = System.nanoTime();
        Path folder = Workspace.folder(cell.project().name());
        String jar = "target/" + cell.project().name() + "-1.jar";
        try (Application application =
                Application.start(folder, "run-" + cell.store(), List.of("-jar", jar, "--server.port=0"))) {
            spendsThree(application, cell, "/gate");
        }
        report(cell, begun);
    }

    @ParameterizedTest
    @MethodSource
    void plainJava(Cell cell) throws Exception {
        long begun = System.nanoTime();
        Path folder = Workspace.folder(cell.project().name());
        String classPath = "target/classes:target/dependency/*";
        try (Application application = Application.start(
                folder,
                "run-" + cell.store(),
                List.of("-cp", classPath, "com.example.Hello", cell.store().uri()))) {
            spendsThree(application, cell, "/");
        }
        report(cell, begun);
    }

    /** Gradle takes the highest of all versions, and would override a version that Spring Boot manages. */
    @ParameterizedTest
    @EnumSource(names = {"REDIS", "POSTGRESQL"})
    void publishedPoms_askForNoNewerVersions_thanTheOldestSpringBootManages(Store store) throws Exception {
        String oldest = Workspace.BOOT_VERSIONS.get(0);
        String boot = cell(oldest, "boot-mvc", "MVC", store, "").project().name();
        Map<String, String> managed = Jars.ofArchive(Workspace.folder(boot).resolve("target/" + boot + "-1.jar"));
        Map<String, String> asked = Jars.ofFolder(
                Workspace.folder(plainJava(store).project().name()).resolve("target/dependency"));

        Map<String, String> newer = new TreeMap<>(asked);
        newer.keySet().retainAll(managed.keySet());
        assertThat(newer).containsKeys(store == Store.REDIS ? "lettuce-core" : "HikariCP", "jackson-core");
        newer.entrySet().removeIf(jar -> Jars.compare(jar.getValue(), managed.get(jar.getKey())) <= 0);
        assertThat(newer).isEmpty();
    }

    /** Inherited versions would override those that Spring Boot manages. */
    @Test
    void bom_managesNothingButWeir() throws Exception {
        String file = "dev/weir/weir-bom/%1$s/weir-bom-%1$s.pom".formatted(Workspace.WEIR_VERSION);
        String pom = Files.readString(Workspace.REPOSITORY.resolve(file));
        assertThat(pom).doesNotContain("<parent>");
        String managed = pom.substring(pom.indexOf("<dependencyManagement>"), pom.indexOf("</dependencyManagement>"));
        assertThat(Pattern.compile("<groupId>(.*?)</groupId>").matcher(managed).results())
                .isNotEmpty()
                .allMatch(group -> group.group(1).equals("dev.weir"));
    }

    private static void spendsThree(Application application, Cell cell, String path) throws Exception {
        for (int i = 1; i <= 3; i++) {
            assertThat(application.get(path, cell.caller()).statusCode()).isEqualTo(200);
        }
        HttpResponse<String> refused = application.get(path, cell.caller());
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isBetween(1L, 3_600L);
        assertThat(application.get(path, "0-" + cell.caller()).statusCode()).isEqualTo(200);
        assertThat(cell.store().counts(cell.caller())).isTrue();
    }

    static Stream<Cell> springBoot() {
        return Workspace.BOOT_VERSIONS.stream().flatMap(ApplicationTest::onSpringBoot);
    }

    /** Each web stack with each store alone, and one application with all stores. */
    private static Stream<Cell> onSpringBoot(String boot) {
        boolean isThree = boot.startsWith("3.");
        String mvc = isThree ? "spring-boot-starter-web" : "spring-boot-starter-webmvc";
        Stream<Cell> alone = Stream.of(Store.values())
                .flatMap(store -> Stream.of(
                        cell(boot, "boot-mvc", "MVC", store, mvc),
                        cell(boot, "boot-webflux", "WebFlux", store, "spring-boot-starter-webflux")));
        return Stream.concat(alone, Stream.of(everything(boot, mvc)));
    }

    /** Every store, together with Spring's own use of the stores' libraries. */
    private static Cell everything(String boot, String mvc) {
        List<String> dependencies = Stream.concat(
                        Stream.of(mvc, "spring-boot-starter-actuator", "spring-boot-starter-data-redis")
                                .map(artifact -> "org.springframework.boot:" + artifact),
                        Stream.of(STARTER, "dev.weir:weir-store-jdbc", "dev.weir:weir-store-redis"))
                .toList();
        Project project = new Project("boot-mvc", "boot-everything-" + boot, boot, dependencies);
        return new Cell("Spring Boot " + boot + ", MVC with all stores, Spring Data", Store.REDIS, project);
    }

    private static Cell cell(String boot, String template, String title, Store store, String web) {
        // Reactive applications do not need the servlet binding.
        String starter = template.equals("boot-webflux") ? STARTER + "::weir-servlet" : STARTER;
        List<String> dependencies = new ArrayList<>(List.of("org.springframework.boot:" + web, starter));
        dependencies.addAll(store.dependencies);
        String name = template + "-" + boot + "-" + store.name().toLowerCase(Locale.ROOT);
        return new Cell("Spring Boot " + boot + ", " + title, store, new Project(template, name, boot, dependencies));
    }

    static Stream<Cell> springCloudGateway() {
        // The versions that the module is tested on.
        return Stream.of(Workspace.BOOT_VERSIONS.get(0), Workspace.BOOT_VERSIONS.get(2))
                .map(boot -> {
                    List<String> dependencies = List.of(
                            "org.springframework.cloud:spring-cloud-starter-gateway-server-webflux",
                            "dev.weir:weir-spring-cloud-gateway");
                    Project project = new Project("boot-gateway", "boot-gateway-" + boot, boot, dependencies);
                    return new Cell("Spring Boot " + boot + ", Spring Cloud Gateway", Store.MEMORY, project);
                });
    }

    static Stream<Cell> plainJava() {
        return Stream.of(Store.values()).map(ApplicationTest::plainJava);
    }

    private static Cell plainJava(Store store) {
        List<String> dependencies = new ArrayList<>(List.of("dev.weir:weir-engine"));
        dependencies.addAll(store.dependencies);
        dependencies.replaceAll(dependency -> dependency.equals(Workspace.POSTGRESQL_DRIVER)
                ? dependency + ":" + Workspace.POSTGRESQL_VERSION
                : dependency);
        String name = "plain-java-" + store.name().toLowerCase(Locale.ROOT);
        return new Cell("plain Java", store, new Project("plain-java", name, "", dependencies));
    }

    private static void report(Cell cell, long begun) {
        System.out.printf(
                "outside: %s: 200 200 200 429 (%.1f s)%n",
                cell, Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1e3);
    }

    record Cell(String title, Store store, Project project) {
        /** A name from whose budget no other application spends. */
        String caller() {
            return project.name().replace('.', '-') + "-on-" + store.name().charAt(0);
        }

        @Override
        public String toString() {
            return title + ", " + store;
        }
    }
}
