package dev.weir.release;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The modules of a source tree, as its parent pom lists them. */
record Modules(Path root, Pom parent, List<Module> all) {

    /** One module: its directory and its pom. */
    record Module(Path directory, Pom pom) {
        /** Whether {@code mvn deploy} uploads it. */
        boolean isPublished() {
            return !"true".equals(pom.text("properties", "maven.deploy.skip"));
        }

        boolean hasJar() {
            return pom.packaging().equals("jar");
        }

        Path classes() {
            return directory.resolve("target/classes");
        }

        Path jar() {
            return directory.resolve("target/" + pom.artifactId() + "-" + pom.version() + ".jar");
        }

        @Override
        public String toString() {
            return pom.artifactId();
        }
    }

    static Modules in(Path root) throws IOException {
        Pom parent = Pom.read(root.resolve("pom.xml"));
        List<Module> all = new ArrayList<>();
        for (String name : parent.texts("modules", "module")) {
            Path directory = root.resolve(name);
            all.add(new Module(directory, Pom.read(directory.resolve("pom.xml"))));
        }
        return new Modules(root, parent, List.copyOf(all));
    }

    /** The published modules that have a jar: all but the BOM. */
    List<Module> libraries() {
        return all.stream()
                .filter(module -> module.isPublished() && module.hasJar())
                .toList();
    }
}
