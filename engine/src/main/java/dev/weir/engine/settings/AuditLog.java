package dev.weir.engine.settings;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The audit log of settings: one line of JSON per change, append-only, in files of bounded size and number. Not
 * thread-safe; {@link FileSettings} calls it under its lock.
 *
 * <p>A line is written before its change is made. Each line contains the hash of the line before: see {@link
 * AuditChain}.
 */
final class AuditLog implements AutoCloseable {
    /*
     * What may be at the end of a file, and what happens to it.
     *
     * The reference is the version in settings.json, which is read first. A line up to that version belongs to an
     * acknowledged change. `end` is where these lines end; everything behind `end` is cut off by open and by append.
     *
     * - One line beyond the version: the process died between the audit line and the settings. The change was never
     * acknowledged, so the line is cut off.
     * - A line without its line feed, or one that cannot be read, after the last acknowledged line: a crash tore it. It
     * was never acknowledged, and is cut off likewise.
     * - Anything else (an unreadable line before an acknowledged one, an unreadable end although the last version is
     * missing, several lines beyond the version): damage, or settings replaced by an older copy. Damage is no reason to
     * stop limiting. The file is renamed to .damaged-N, complete, and a new file is begun.
     *
     * A broken hash chain does not stop the start either; it is logged as an error and reported by `fault`.
     *
     * `append` and `takeBack` form a two-step write: append remembers `previousEnd` and `previousHead`, and takeBack
     * restores both and truncates. If the truncation fails, the next append truncates to `end` first. A rotation
     * happens only in append, before the line is written; taking back that line then leaves the new file empty.
     */
    static final String NAME = "settings-audit.jsonl";

    private static final Logger LOG = System.getLogger(Settings.class.getName());
    /** The number of full files that are kept besides the present one. */
    private static final int KEPT = 4;

    private final DataDirectory directory;
    private final long maxBytes;
    private FileChannel channel;
    /** The offset at which the lines of acknowledged changes end. */
    private long end;
    /** The offset at which they ended before the latest line, which may still be taken back. */
    private long previousEnd;
    /** The hash of the latest line. */
    private String head;
    /** The hash of the line before the latest. */
    private String previousHead;

    private AuditLog(DataDirectory directory, long maxBytes, FileChannel channel, long end, String head) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.channel = channel;
        this.end = end;
        this.previousEnd = end;
        this.head = head;
        this.previousHead = head;
    }

    /** Opens the log of settings at this version, and passes its latest entries, oldest first, to {@code taker}. */
    static AuditLog open(DataDirectory directory, long version, long maxBytes, Consumer<AuditEntry> taker)
            throws IOException {
        Path file = directory.file(NAME);
        Lines present = Lines.of(directory, 0, version, new AuditChain(true));
        if (present.damaged) {
            Path aside = aside(file);
            Files.move(file, aside);
            directory.sync();
            LOG.log(
                    Level.WARNING,
                    file + " does not fit the settings; it was put aside as " + aside + " and a new one is begun");
        }
        AuditChain chain = chain(directory, version, taker);
        if (present.damaged) {
            present.entries.forEach(taker);
        }
        String fault = chain.fault(NAME, version);
        if (fault != null) {
            LOG.log(Level.ERROR, "the audit in " + file.getParent() + " was changed outside Weir: " + fault);
        }
        long end = present.damaged ? 0 : present.end;
        AuditLog log = new AuditLog(directory, maxBytes, openFile(file), end, chain.head());
        log.channel.truncate(end);
        directory.sync();
        return log;
    }

    /** The fault of the log of settings at this version; null if there is none. */
    @Nullable
    String fault(long version) throws IOException {
        AuditChain chain = chain(directory, version, entry -> {});
        String fault = chain.fault(NAME, version);
        if (fault == null && !chain.head().equals(head)) {
            return NAME + ": the last line is not the one that was written; it was changed";
        }
        return fault;
    }

    /** Verifies all lines up to this version, oldest first, and passes their entries to {@code taker}. */
    private static AuditChain chain(DataDirectory directory, long version, Consumer<AuditEntry> taker)
            throws IOException {
        AuditChain chain = new AuditChain(Files.exists(directory.file(name(KEPT))));
        for (int i = KEPT; i >= 0; i--) {
            Lines.of(directory, i, version, chain).entries.forEach(taker);
        }
        return chain;
    }

    /** The name of the present file, which has number 0, or of an older one. */
    private static String name(int number) {
        return number == 0 ? NAME : NAME + "." + number;
    }

    /** Appends a line and makes it durable; {@link #takeBack} may still remove it. */
    void append(AuditEntry entry) throws IOException {
        previousEnd = end;
        previousHead = head;
        if (channel.size() != end) {
            channel.truncate(end);
        }
        if (end >= maxBytes) {
            rotate();
        }
        byte[] linked = AuditChain.link(AuditCodec.encode(entry), head);
        byte[] line = Arrays.copyOf(linked, linked.length + 1);
        line[linked.length] = '\n';
        channel.position(end);
        DataDirectory.writeAll(channel, line);
        channel.force(true);
        end += line.length;
        head = AuditChain.hash(linked);
    }

    /** The hash of the latest line. */
    String head() {
        return head;
    }

    /**
     * Removes the line of a change that failed. If that fails, {@link #append} removes it before it adds the next line.
     */
    void takeBack() {
        end = previousEnd;
        head = previousHead;
        try {
            channel.truncate(end);
        } catch (IOException e) {
            LOG.log(Level.WARNING, directory.file(NAME) + " has a line of a change that failed", e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void rotate() throws IOException {
        for (int i = KEPT - 1; i >= 0; i--) {
            Path file = directory.file(name(i));
            if (Files.exists(file)) {
                Files.move(
                        file,
                        directory.file(name(i + 1)),
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
        FileChannel next = openFile(directory.file(NAME));
        channel.close();
        channel = next;
        end = 0;
        previousEnd = 0;
        directory.sync();
    }

    private static FileChannel openFile(Path file) throws IOException {
        return DataDirectory.openPrivate(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static Path aside(Path file) {
        int number = 1;
        while (Files.exists(file.resolveSibling(file.getFileName() + ".damaged-" + number))) {
            number++;
        }
        return file.resolveSibling(file.getFileName() + ".damaged-" + number);
    }

    /** The entries of a file up to a version, the offset of their end, and whether the file is damaged. */
    private record Lines(List<AuditEntry> entries, long end, boolean damaged) {

        /**
         * Reads a file and passes each of these lines to the chain. Lines that a crash left after the last of them are
         * ignored.
         */
        static Lines of(DataDirectory directory, int file, long version, AuditChain chain) throws IOException {
            String name = name(file);
            Path path = directory.file(name);
            byte[] bytes = Files.exists(path) ? Files.readAllBytes(path) : new byte[0];
            List<AuditEntry> entries = new ArrayList<>();
            long end = 0;
            boolean torn = false;
            boolean damaged = false;
            int beyond = 0;
            int number = 0;
            for (int from = 0, to; from < bytes.length; from = to + 1) {
                to = from;
                while (to < bytes.length && bytes[to] != '\n') {
                    to++;
                }
                number++;
                byte[] line = Arrays.copyOfRange(bytes, from, to);
                @Nullable AuditEntry entry = to < bytes.length ? entry(line) : null;
                if (entry == null) {
                    torn = true;
                } else if (entry.version() <= version) {
                    if (torn) {
                        chain.report(name + ":" + (number - 1) + ": this line is not an audit entry");
                    }
                    chain.next(line, entry.version(), name + ":" + number);
                    damaged |= torn;
                    entries.add(entry);
                    end = to + 1L;
                } else {
                    beyond++;
                }
            }
            long last = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).version();
            // One line beyond the settings is a change that a crash interrupted. Several lines mean that the settings
            // were replaced by an older copy; these lines are kept.
            return new Lines(entries, end, damaged || (torn && last < version) || beyond > 1);
        }

        private static @Nullable AuditEntry entry(byte[] line) {
            try {
                return AuditCodec.decode(AuditChain.withoutLink(line));
            } catch (SettingsException e) {
                return null;
            }
        }
    }
}
