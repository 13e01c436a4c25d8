package dev.weir.release;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * The calls of one method.
 *
 * @param all every call
 * @param whileHeld those made while the method holds a monitor
 */
record HeldCalls(List<MethodInsnNode> all, List<MethodInsnNode> whileHeld) {

    static HeldCalls of(MethodNode method) {
        int[] held = new Walk(method).heldMonitors();
        List<MethodInsnNode> all = new ArrayList<>();
        List<MethodInsnNode> whileHeld = new ArrayList<>();
        for (int i = 0; i < held.length; i++) {
            if (method.instructions.get(i) instanceof MethodInsnNode call) {
                all.add(call);
                if (held[i] > 0) {
                    whileHeld.add(call);
                }
            }
        }
        return new HeldCalls(all, whileHeld);
    }

    /** A walk along every path through a method that counts the monitors held. */
    private static final class Walk {
        private final MethodNode method;
        private final InsnList code;
        private final int[] held;
        private final Deque<Integer> open = new ArrayDeque<>();

        Walk(MethodNode method) {
            this.method = method;
            this.code = method.instructions;
            this.held = new int[code.size()];
            Arrays.fill(held, -1);
        }

        int[] heldMonitors() {
            if (code.size() > 0) {
                visit(0, (method.access & Opcodes.ACC_SYNCHRONIZED) != 0 ? 1 : 0);
            }
            while (!open.isEmpty()) {
                int at = open.remove();
                leave(at, code.get(at), held[at]);
            }
            return held;
        }

        private void leave(int at, AbstractInsnNode instruction, int before) {
            for (TryCatchBlockNode block : method.tryCatchBlocks) {
                if (code.indexOf(block.start) <= at && at < code.indexOf(block.end)) {
                    visit(code.indexOf(block.handler), before);
                }
            }
            int opcode = instruction.getOpcode();
            int after = before;
            if (opcode == Opcodes.MONITORENTER) {
                after++;
            } else if (opcode == Opcodes.MONITOREXIT) {
                after--;
            }
            for (LabelNode target : targets(instruction)) {
                visit(code.indexOf(target), after);
            }
            boolean ends = opcode == Opcodes.GOTO
                    || opcode == Opcodes.ATHROW
                    || opcode == Opcodes.TABLESWITCH
                    || opcode == Opcodes.LOOKUPSWITCH
                    || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN);
            if (!ends && at + 1 < code.size()) {
                visit(at + 1, after);
            }
        }

        private void visit(int at, int monitors) {
            if (held[at] < 0) {
                held[at] = Math.max(0, monitors);
                open.add(at);
            }
        }

        private static List<LabelNode> targets(AbstractInsnNode instruction) {
            if (instruction instanceof JumpInsnNode jump) {
                return List.of(jump.label);
            }
            List<LabelNode> targets = new ArrayList<>();
            if (instruction instanceof TableSwitchInsnNode table) {
                targets.addAll(table.labels);
                targets.add(table.dflt);
            } else if (instruction instanceof LookupSwitchInsnNode lookup) {
                targets.addAll(lookup.labels);
                targets.add(lookup.dflt);
            }
            return targets;
        }
    }
}
