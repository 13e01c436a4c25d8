package dev.weir.store.consensus;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.util.Describer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a failed test of nodes in this process needs for an explanation. */
public final class NodeDetails {
    private NodeDetails() {}

    /** Writes JRaft's view of all nodes and all threads to a file that stays after the test. */
    public static Path write() {
        StringWriter details = new StringWriter();
        PrintWriter out = new PrintWriter(details);
        NodeManager.getInstance().getAllNodes().forEach(node -> node.describe(new Describer.DefaultPrinter(out)));
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true, 40)) {
            out.println(thread.getThreadName() + " " + thread.getThreadState() + " " + thread.getLockInfo()
                    + " held by " + thread.getLockOwnerName());
            for (StackTraceElement frame : thread.getStackTrace()) {
                out.println("    " + frame);
            }
        }
        Path file = Path.of("target", "nodes-" + System.currentTimeMillis() + ".txt");
        try {
            return Files.writeString(file, details.toString()).toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
