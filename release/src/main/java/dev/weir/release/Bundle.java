package dev.weir.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory in the layout of a Maven repository, ready to be zipped and uploaded to Maven Central. {@link #faults()}
 * returns the reasons for which Central would reject it: see {@code docs/adr/0065-stage-and-check-releases.md}.
 */
record Bundle(Path root) {
    private static final List<String> OWN = List.of("name", "description");
    private static final List<List<String>> OWN_OR_INHERITED = List.of(
            List.of("url"),
            List.of("licenses", "license", "name"),
            List.of("licenses", "license", "url"),
            List.of("developers", "developer", "name"),
            List.of("scm", "connection"),
            List.of("scm", "url"));

    List<String> faults() throws IOException {
        List<String> faults = new ArrayList<>();
        List<Path> poms =
                files().filter(file -> file.toString().endsWith(".pom")).toList();
        if (poms.isEmpty()) {
            faults.add("no pom is in " + root);
        }
        for (Path pom : poms) {
            checkArtifact(pom, faults);
        }
        Checksums.check(files().toList(), faults);
        return faults;
    }

    private Stream<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(Files::isRegularFile).sorted().toList().stream();
        }
    }

    private void checkArtifact(Path file, List<String> faults) throws IOException {
        Pom pom = Pom.read(file);
        String name = pom.artifactId() + "-" + pom.version();
        if (!file.equals(place(pom.artifactId(), pom.version()))) {
            faults.add(root.relativize(file) + " is the pom of " + name);
        }
        if (Files.readString(file).contains("-SNAPSHOT")) {
            faults.add(name + " names a SNAPSHOT");
        }
        checkElements(name, pom, faults);
        if (pom.packaging().equals("jar")) {
            for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
                if (!Files.isRegularFile(file.resolveSibling(name + end))) {
                    faults.add(name + " has no " + name + end);
                }
            }
        }
    }

    private void checkElements(String name, Pom pom, List<String> faults) throws IOException {
        for (String element : OWN) {
            if (pom.text(element) == null) {
                faults.add(name + " has no " + element);
            }
        }
        Pom parent = parentOf(pom);
        if (parent == null && pom.text("parent", "artifactId") != null) {
            faults.add(name + " has a parent that is not in the bundle");
        }
        for (List<String> element : OWN_OR_INHERITED) {
            String[] path = element.toArray(String[]::new);
            if (pom.text(path) == null && (parent == null || parent.text(path) == null)) {
                faults.add(name + " has no " + String.join("/", element));
            }
        }
    }

    private @Nullable Pom parentOf(Pom pom) throws IOException {
        String artifact = pom.text("parent", "artifactId");
        String version = pom.text("parent", "version");
        if (artifact == null || version == null) {
            return null;
        }
        Path file = place(artifact, version);
        return Files.isRegularFile(file) ? Pom.read(file) : null;
    }

    private Path place(String artifact, String version) {
        return root.resolve("dev/weir").resolve(artifact).resolve(version).resolve(artifact + "-" + version + ".pom");
    }
}
