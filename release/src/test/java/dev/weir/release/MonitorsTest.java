package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.tree.ClassNode;

/** No library blocks while it holds a monitor, so that no virtual thread is pinned on JDK 21. */
@Tag("io")
class MonitorsTest {
    /**
     * Methods that are not followed. Some park for a nanosecond after several lost races. Others read the configuration
     * file, which holds the carrier thread with or without a monitor.
     */
    private static final Set<String> ALLOWED =
            Set.of("TableGeneration.backOff", "ConfigurationFile.content", "ConfigurationReader.read");

    /** Waits once for webhooks in flight, when the engine is closed. */
    private static final String AT_SHUTDOWN = "Weir.close -> AlertService.close -> ";

    @Test
    void libraries_holdingAMonitor_doNotBlock() throws IOException {
        List<ClassNode> classes = new ArrayList<>();
        for (Modules.Module module : SourceTree.modules().libraries()) {
            classes.addAll(Classes.in(module.classes()));
        }

        assertThat(new Monitors(classes, ALLOWED).blocking()).noneMatch(path -> !path.startsWith(AT_SHUTDOWN));
    }

    @Test
    void scan_findsWhatBlocks_alsoBehindOtherMethods() throws IOException {
        List<ClassNode> own = Classes.in(Path.of("target/test-classes")).stream()
                .filter(node -> node.name.contains("MonitorsTest$"))
                .toList();

        assertThat(new Monitors(own, Set.of()).blocking())
                .containsExactly(
                        "MonitorsTest$Held.afterAnEarlyReturn -> CountDownLatch.await",
                        "MonitorsTest$Held.wholeMethod -> MonitorsTest$Waiting.pause -> CountDownLatch.await");
    }

    interface Waiting {
        void pause() throws InterruptedException;
    }

    record Latched(CountDownLatch latch) implements Waiting {
        @Override
        public void pause() throws InterruptedException {
            latch.await();
        }
    }

    record Held(CountDownLatch latch, Waiting waiting) {
        synchronized void wholeMethod() throws InterruptedException {
            waiting.pause();
        }

        void afterAnEarlyReturn() throws InterruptedException {
            synchronized (latch) {
                if (latch.getCount() == 0) {
                    return;
                }
                latch.await();
            }
        }

        void outside() throws InterruptedException {
            synchronized (latch) {
                latch.countDown();
            }
            latch.await();
        }
    }
}
