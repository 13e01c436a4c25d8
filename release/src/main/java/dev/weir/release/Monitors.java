package dev.weir.release;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Finds calls that may block while a monitor is held. Up to JDK 23, a virtual thread that blocks so pins its carrier
 * thread.
 *
 * <p>Calls are followed through all given classes: to the named method and to all methods that override it. Calls
 * inside lambdas are not followed. Neither are calls of other libraries that are not {@link BlockingCalls} themselves.
 */
final class Monitors {
    private final Map<String, ClassNode> classes = new HashMap<>();
    private final Map<String, Set<String>> subtypes = new HashMap<>();
    private final Map<String, CallsUnderMonitor> methods = new HashMap<>();
    private final Set<String> allowed;

    /** Analyzes all of these classes, except methods that are {@code allowed} to block (Class.method). */
    Monitors(Collection<ClassNode> all, Set<String> allowed) {
        this.allowed = allowed;
        for (ClassNode node : all) {
            classes.put(node.name, node);
            addSubtype(node.superName, node.name);
            node.interfaces.forEach(type -> addSubtype(type, node.name));
            for (MethodNode method : node.methods) {
                methods.put(node.name + "." + method.name + method.desc, CallsUnderMonitor.of(method));
            }
        }
    }

    private void addSubtype(String type, String subtype) {
        subtypes.computeIfAbsent(type, key -> new LinkedHashSet<>()).add(subtype);
    }

    /** One line for each method that may block inside a monitor: the method, and the calls that lead there. */
    List<String> blocking() {
        List<String> found = new ArrayList<>();
        methods.forEach((method, calls) -> {
            for (MethodInsnNode call : calls.whileHeld()) {
                List<String> path = pathToBlocking(call);
                if (path != null) {
                    found.add(shorten(method) + " -> " + String.join(" -> ", path));
                }
            }
        });
        return found.stream().distinct().sorted().toList();
    }

    private @Nullable List<String> pathToBlocking(MethodInsnNode first) {
        record Step(MethodInsnNode call, List<String> path) {}
        Deque<Step> open = new ArrayDeque<>(List.of(new Step(first, List.of())));
        Set<String> seen = new HashSet<>();
        while (!open.isEmpty()) {
            Step step = open.remove();
            List<String> path = new ArrayList<>(step.path());
            path.add(shorten(step.call().owner + "." + step.call().name));
            if (BlockingCalls.is(step.call())) {
                return path;
            }
            targets(step.call()).forEach((target, calls) -> {
                if (!allowed.contains(shorten(target)) && seen.add(target)) {
                    calls.all().forEach(call -> open.add(new Step(call, path)));
                }
            });
        }
        return null;
    }

    private Map<String, CallsUnderMonitor> targets(MethodInsnNode call) {
        String signature = "." + call.name + call.desc;
        Map<String, CallsUnderMonitor> targets = new LinkedHashMap<>();
        ClassNode owner = classes.get(call.owner);
        while (owner != null && targets.isEmpty()) {
            addIfKnown(owner.name + signature, targets);
            owner = classes.get(owner.superName);
        }
        boolean isVirtual = call.getOpcode() == Opcodes.INVOKEVIRTUAL || call.getOpcode() == Opcodes.INVOKEINTERFACE;
        if (isVirtual && classes.containsKey(call.owner)) {
            addOverrides(call.owner, signature, targets);
        }
        return targets;
    }

    private void addOverrides(String type, String signature, Map<String, CallsUnderMonitor> targets) {
        for (String subtype : subtypes.getOrDefault(type, Set.of())) {
            addIfKnown(subtype + signature, targets);
            addOverrides(subtype, signature, targets);
        }
    }

    private void addIfKnown(String method, Map<String, CallsUnderMonitor> targets) {
        CallsUnderMonitor calls = methods.get(method);
        if (calls != null) {
            targets.put(method, calls);
        }
    }

    /** Shortens {@code dev/weir/memory/Shard.step(J)V} to {@code Shard.step}. */
    private static String shorten(String method) {
        int end = method.indexOf('(');
        String name = end < 0 ? method : method.substring(0, end);
        return name.substring(name.lastIndexOf('/') + 1);
    }
}
