package dev.weir.store.consensus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory on a disk of its own whose machine can crash: of what was written, only what was synced is certain to
 * remain. The disk is an ext4 image behind a loop device. A crash copies the image, which lacks what the kernel has not
 * written to it yet, and mounts the copy. Needs Linux and the rights of root.
 */
public final class CrashDisk implements AutoCloseable {
    private final Path directory;
    private Path image;
    private int crashes;

    /** Puts an empty disk on a directory. */
    public CrashDisk(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.image = directory.resolveSibling(directory.getFileName() + "-disk");
        run("truncate", "-s", "96M", image.toString());
        run("mkfs.ext4", "-q", "-m", "0", image.toString());
        mount();
    }

    public static boolean isPossible(Path scratch) {
        try {
            new CrashDisk(scratch.resolve("trial")).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void mount() throws IOException {
        // The kernel would otherwise write everything every five seconds.
        run("mount", "-o", "loop,commit=600", image.toString(), directory.toString());
        run("rm", "-rf", directory.resolve("lost+found").toString());
        run("sync", "-f", directory.toString());
    }

    /** Cuts the power now: continues with what is on the disk. No process may use the directory, unless it is copied. */
    public void crash() throws IOException {
        Path copy = copy();
        run("umount", directory.toString());
        Files.delete(image);
        image = copy;
        mount();
    }

    /** What a crash at this moment would leave. A process may go on. */
    public CrashDisk afterCrash(Path target) throws IOException {
        return new CrashDisk(Files.createDirectories(target), copy());
    }

    private CrashDisk(Path directory, Path image) throws IOException {
        this.directory = directory;
        this.image = image;
        mount();
    }

    private Path copy() throws IOException {
        Path copy = directory.resolveSibling(directory.getFileName() + "-disk-" + ++crashes);
        run("cp", "--sparse=always", image.toString(), copy.toString());
        return copy;
    }

    @Override
    public void close() throws IOException {
        run("umount", "-l", directory.toString());
        Files.deleteIfExists(image);
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
