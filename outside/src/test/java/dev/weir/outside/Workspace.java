package dev.weir.outside;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The directory of the applications, and the Maven that builds them. */
final class Workspace {
    static final Path REPOSITORY = Path.of(property("repository"));
    static final String WEIR_VERSION = property("weir");
    static final String POSTGRESQL_DRIVER = "org.postgresql:postgresql";
    static final String POSTGRESQL_VERSION = property("postgresql");
    static final List<String> BOOT_VERSIONS = List.of(property("boot").split(","));

    /** For the lines 3.5 and 4 of Spring Boot. */
    private static final List<String> CLOUD_VERSIONS = List.of(property("cloud").split(","));

    private static final Path TEMPLATES = Path.of("projects");
    private static final Path ROOT = REPOSITORY.resolveSibling("projects");

    private Workspace() {}

    /** The version of Spring Cloud for a version of Spring Boot. */
    static String cloud(String boot) {
        return CLOUD_VERSIONS.get(boot.startsWith("4.") ? 1 : 0);
    }

    /** The directory of a project. */
    static Path folder(String project) {
        return ROOT.resolve(project);
    }

    /** Writes the projects and builds all of them in one run of Maven, which continues after a failure. */
    static void build(List<Project> projects) throws IOException, InterruptedException {
        for (Project project : projects) {
            write(project);
        }
        Files.writeString(ROOT.resolve("pom.xml"), """
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>applications</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <modules>%s</modules>
                </project>
                """.formatted(projects.stream()
                .map(project -> "<module>" + project.name() + "</module>")
                .collect(Collectors.joining())));
        int status = maven(ROOT, List.of("-fae", "-T2", "package"));
        if (status != 0) {
            throw new AssertionError("The applications could not be built:\n" + Files.readString(log(ROOT)));
        }
    }

    /** Runs Maven in a directory, on Weir's own local repository; its output is in {@link #log}. */
    static int maven(Path folder, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q", "-ntp", "-Dstyle.color=never"));
        Stream.of(property("maven").split(" ")).filter(text -> !text.isBlank()).forEach(command::add);
        command.add("-Dmaven.repo.local=" + REPOSITORY);
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log(folder).toFile())
                .start()
                .waitFor();
    }

    static Path log(Path folder) {
        return folder.resolve("maven.log");
    }

    private static void write(Project project) throws IOException {
        Path template = TEMPLATES.resolve(project.template());
        try (Stream<Path> files = Files.walk(template)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy =
                        folder(project.name()).resolve(template.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.writeString(copy, project.fill(Files.readString(file)));
            }
        }
    }

    static String java() {
        return System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    }

    private static String property(String name) {
        String value = System.getProperty("weir.outside." + name);
        if (value == null) {
            throw new IllegalStateException("weir.outside." + name + " is absent; start these tests by outside/run");
        }
        return value;
    }
}
