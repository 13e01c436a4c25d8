package dev.weir.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;

/** The class files below a directory. They are parsed and never loaded, so none of their dependencies is needed. */
final class Classes {
    private Classes() {}

    /** Classes without line numbers and names of local variables. */
    static List<ClassNode> in(Path directory) throws IOException {
        return in(directory, ClassReader.SKIP_DEBUG);
    }

    /** Classes with their local variables, as far as the compiler wrote these. */
    static List<ClassNode> withVariables(Path directory) throws IOException {
        return in(directory, ClassReader.SKIP_FRAMES);
    }

    private static List<ClassNode> in(Path directory, int options) throws IOException {
        List<ClassNode> classes = new ArrayList<>();
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path file : tree.filter(path -> path.toString().endsWith(".class"))
                    .sorted()
                    .toList()) {
                ClassNode node = new ClassNode();
                new ClassReader(Files.readAllBytes(file)).accept(node, options);
                classes.add(node);
            }
        }
        return classes;
    }

    /** The package of a class, with dots. */
    static String packageOf(ClassNode node) {
        int end = node.name.lastIndexOf('/');
        return end < 0 ? "" : node.name.substring(0, end).replace('/', '.');
    }
}
