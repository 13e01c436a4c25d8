package dev.weir.release;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The API of a module as seen by callers: one line for each public or protected type and member of its API packages,
 * with erased types. Lines are sorted, so that two listings differ only where the APIs do.
 */
final class Api {
    /** Packages that are public for other modules of Weir only. {@code docs/api-stability.md} has the same list. */
    static final Set<String> INTERNAL = Set.of(
            "dev.weir.algorithm",
            "dev.weir.engine.config.schema",
            "dev.weir.engine.path",
            "dev.weir.engine.plan",
            "dev.weir.engine.report",
            "dev.weir.ledger",
            "dev.weir.remote",
            "dev.weir.spring.method",
            "dev.weir.spring.web",
            "dev.weir.store.consensus",
            "dev.weir.store.jdbc.postgres",
            "dev.weir.store.jdbc.rows",
            "dev.weir.store.jdbc.sqlite",
            "dev.weir.store.scripted",
            "dev.weir.testkit.model");

    private static final int VISIBLE = Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED;
    private static final int SHOWN_FLAGS =
            Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;

    private Api() {}

    static SortedSet<String> of(Path classes) throws IOException {
        Map<String, ClassNode> all =
                Classes.in(classes).stream().collect(Collectors.toMap(node -> node.name, Function.identity()));
        SortedSet<String> lines = new TreeSet<>();
        for (ClassNode node : all.values()) {
            if (!INTERNAL.contains(Classes.packageOf(node)) && isVisible(node, all)) {
                list(node, lines);
            }
        }
        return lines;
    }

    /** Incompatible changes: removed lines, and methods that implementors of an older type lack. */
    static List<String> breaks(Set<String> before, Set<String> after) {
        List<String> breaks = new ArrayList<>();
        before.stream().filter(line -> !after.contains(line)).forEach(line -> breaks.add("gone: " + line));
        Set<String> open = before.stream()
                .filter(line -> line.contains(" open "))
                .map(Api::typeOf)
                .collect(Collectors.toSet());
        after.stream()
                .filter(line -> !before.contains(line) && line.contains(" abstract ") && line.contains("("))
                .filter(line -> open.contains(typeOf(line)))
                .forEach(line -> breaks.add("implementors lack: " + line));
        return breaks;
    }

    private static String typeOf(String line) {
        return line.substring(0, line.indexOf(':'));
    }

    private static void list(ClassNode node, Set<String> lines) {
        String type = Type.getObjectType(node.name).getClassName();
        boolean isOpen = isOpen(node);
        lines.add(type + ":" + kind(node, isOpen) + parents(node));
        for (FieldNode field : node.fields) {
            if (isListed(field.access, isOpen)) {
                lines.add(type + ": " + flags(field.access) + " "
                        + Type.getType(field.desc).getClassName() + " " + field.name);
            }
        }
        for (MethodNode method : node.methods) {
            if (isListed(method.access, isOpen)) {
                lines.add(type + ": " + flags(method.access) + " " + signature(method));
            }
        }
    }

    private static String signature(MethodNode method) {
        String parameters = Stream.of(Type.getArgumentTypes(method.desc))
                .map(Type::getClassName)
                .collect(Collectors.joining(", ", "(", ")"));
        return Type.getReturnType(method.desc).getClassName() + " " + method.name + parameters;
    }

    private static String kind(ClassNode node, boolean isOpen) {
        String kind = "class";
        if ((node.access & Opcodes.ACC_ANNOTATION) != 0) {
            kind = "annotation";
        } else if ((node.access & Opcodes.ACC_INTERFACE) != 0) {
            kind = "interface";
        } else if ((node.access & Opcodes.ACC_ENUM) != 0) {
            kind = "enum";
        } else if ("java/lang/Record".equals(node.superName)) {
            kind = "record";
        }
        return (isOpen ? " open " : " ") + kind;
    }

    private static String parents(ClassNode node) {
        return Stream.concat(Stream.ofNullable(node.superName), node.interfaces.stream())
                .filter(name -> !name.equals("java/lang/Object"))
                .map(name -> Type.getObjectType(name).getClassName())
                .collect(Collectors.joining(", ", " : ", ""));
    }

    /** Whether callers may extend or implement the type. */
    private static boolean isOpen(ClassNode node) {
        boolean hasConstructor = node.methods.stream()
                .anyMatch(method -> method.name.equals("<init>") && (method.access & VISIBLE) != 0);
        return (node.access & Opcodes.ACC_FINAL) == 0
                && node.permittedSubclasses == null
                && (hasConstructor || (node.access & Opcodes.ACC_INTERFACE) != 0);
    }

    private static boolean isListed(int access, boolean isOpen) {
        boolean isSynthetic = (access & Opcodes.ACC_SYNTHETIC) != 0;
        return !isSynthetic && (access & (isOpen ? VISIBLE : Opcodes.ACC_PUBLIC)) != 0;
    }

    private static boolean isVisible(ClassNode node, Map<String, ClassNode> all) {
        if (node.name.endsWith("package-info") || (node.access & Opcodes.ACC_SYNTHETIC) != 0) {
            return false;
        }
        for (InnerClassNode inner : node.innerClasses) {
            if (inner.name.equals(node.name)) {
                ClassNode outer = inner.outerName == null ? null : all.get(inner.outerName);
                return (inner.access & VISIBLE) != 0 && outer != null && isVisible(outer, all);
            }
        }
        return (node.access & Opcodes.ACC_PUBLIC) != 0;
    }

    private static String flags(int access) {
        return Modifier.toString(access & SHOWN_FLAGS);
    }
}
