package dev.weir.release;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * The calls of one method.
 *
 * @param all every call
 * @param whileHeld those made while the method holds a monitor
 */
record CallsUnderMonitor(List<MethodInsnNode> all, List<MethodInsnNode> whileHeld) {

    static CallsUnderMonitor of(MethodNode method) {
        List<TryCatchBlockNode> held =
                method.tryCatchBlocks.stream().filter(CallsUnderMonitor::isHeld).toList();
        List<MethodInsnNode> all = new ArrayList<>();
        List<MethodInsnNode> whileHeld = new ArrayList<>();
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode call) {
                all.add(call);
                int at = method.instructions.indexOf(call);
                if ((method.access & Opcodes.ACC_SYNCHRONIZED) != 0
                        || held.stream()
                                .anyMatch(block -> method.instructions.indexOf(block.start) < at
                                        && at < method.instructions.indexOf(block.end))) {
                    whileHeld.add(call);
                }
            }
        }
        return new CallsUnderMonitor(all, whileHeld);
    }

    /**
     * The compiler protects a monitor by an exception handler that stores the exception, loads the monitor and releases
     * it.
     */
    private static boolean isHeld(TryCatchBlockNode block) {
        int instructions = 0;
        for (AbstractInsnNode at = block.handler; at != null && instructions < 3; at = at.getNext()) {
            instructions += at.getOpcode() >= 0 ? 1 : 0;
            if (at.getOpcode() == Opcodes.MONITOREXIT) {
                return true;
            }
        }
        return false;
    }
}
