package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/** No library concatenates a {@link Duration} to a text, which would read {@code PT0.05S} instead of {@code 50ms}. */
@Tag("io")
class DurationMessagesTest {
    private static final String DURATION = "Ljava/time/Duration;";

    @Test
    void libraries_writeNoRawDuration() throws IOException {
        List<String> found = new ArrayList<>();
        for (Modules.Module module : SourceTree.modules().libraries()) {
            found.addAll(rawDurations(Classes.withVariables(module.classes())));
        }
        assertThat(found).as("use DurationText.of").isEmpty();
    }

    @Test
    void scan_findsRawDurations() throws IOException {
        List<ClassNode> own = Classes.withVariables(Path.of("target/test-classes")).stream()
                .filter(node -> node.name.endsWith("DurationMessagesTest$Raw"))
                .toList();
        assertThat(rawDurations(own))
                .containsExactly("Raw.field", "Raw.parameter", "Raw.variable", "Raw.result", "Raw.text");
    }

    private static List<String> rawDurations(List<ClassNode> classes) {
        List<String> found = new ArrayList<>();
        for (ClassNode node : classes) {
            for (MethodNode method : node.methods) {
                for (AbstractInsnNode instruction : method.instructions) {
                    if (isRawDuration(instruction, method)) {
                        found.add(node.name.replaceAll(".*[/$]", "") + "." + method.name);
                    }
                }
            }
        }
        return found;
    }

    /** Whether a duration becomes a text here. Compilers differ: some convert before they concatenate. */
    private static boolean isRawDuration(AbstractInsnNode instruction, MethodNode method) {
        if (instruction instanceof InvokeDynamicInsnNode concatenation) {
            return concatenation.name.equals("makeConcatWithConstants") && concatenation.desc.contains(DURATION);
        }
        if (!(instruction instanceof MethodInsnNode call)) {
            return false;
        }
        if (call.owner.equals("java/time/Duration") && call.name.equals("toString")) {
            return true;
        }
        boolean converts = (call.name.equals("valueOf") || call.name.equals("append"))
                && call.owner.matches("java/lang/String(Builder)?")
                && call.desc.startsWith("(Ljava/lang/Object;)");
        return converts && isDuration(before(call), method);
    }

    private static boolean isDuration(@Nullable AbstractInsnNode instruction, MethodNode method) {
        if (instruction instanceof FieldInsnNode field) {
            return field.desc.equals(DURATION);
        }
        if (instruction instanceof MethodInsnNode call) {
            return call.desc.endsWith(")" + DURATION);
        }
        if (instruction instanceof VarInsnNode load && load.getOpcode() == Opcodes.ALOAD) {
            int at = method.instructions.indexOf(load);
            return method.localVariables != null
                    && method.localVariables.stream()
                            .anyMatch(variable -> variable.index == load.var
                                    && variable.desc.equals(DURATION)
                                    && isVisible(variable, at, method));
        }
        return false;
    }

    private static boolean isVisible(LocalVariableNode variable, int at, MethodNode method) {
        return method.instructions.indexOf(variable.start) <= at && at < method.instructions.indexOf(variable.end);
    }

    /** The instruction before this one, without labels and line numbers. */
    private static @Nullable AbstractInsnNode before(AbstractInsnNode instruction) {
        AbstractInsnNode before = instruction.getPrevious();
        while (before != null && before.getOpcode() < 0) {
            before = before.getPrevious();
        }
        return before;
    }

    record Raw(Duration time) {
        String field() {
            return "after " + time;
        }

        static String parameter(Duration time) {
            return "after " + time + "!";
        }

        String variable() {
            Duration doubled = time.multipliedBy(2);
            doubled = doubled.plusMillis(1);
            return doubled + " later";
        }

        String result() {
            return new StringBuilder().append(time()).toString();
        }

        String text() {
            return time.toString();
        }

        String millis() {
            return "after " + time.toMillis() + " ms";
        }
    }
}
