package dev.weir.engine.settings;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The hash chain of an audit log: the last member of each line, {@code "previous"}, is the SHA-256 of the line before
 * it, in lower-case hexadecimal. A line that is changed, removed or inserted breaks the link of the next line. Lines of
 * versions before the chain was introduced have no link, and come first.
 *
 * <p>The verifier takes the lines one after another, oldest first, and keeps the first fault. Versions must be
 * consecutive, and the last must be that of the settings; so a truncated log is detected as well. A process that may
 * write the file can recompute all links. Only a hash that was stored elsewhere, such as in the server's log, reveals
 * that.
 */
final class AuditChain {
    /** The link of the very first line. */
    static final String START = "0".repeat(64);

    private static final String LINK = ",\"previous\":\"";
    private static final int LINK_LENGTH = LINK.length() + START.length() + 2;

    private @Nullable String lastHash;
    private boolean hasLinks;
    /** -1 while the version of the first line is unknown. */
    private long lastVersion;

    private @Nullable String fault;

    /**
     * Begins at the first line.
     *
     * @param isCut whether older lines were dropped because the files were full, so that any version may come first
     */
    AuditChain(boolean isCut) {
        this.lastVersion = isCut ? -1 : 0;
    }

    /** The JSON of an entry with its link to the line before, without a line feed. */
    static byte[] link(byte[] json, String previous) {
        byte[] end = (LINK + previous + "\"}").getBytes(StandardCharsets.US_ASCII);
        byte[] line = Arrays.copyOf(json, json.length - 1 + end.length);
        System.arraycopy(end, 0, line, json.length - 1, end.length);
        return line;
    }

    /** The hash that a line links to; null if it has no link. */
    static @Nullable String previous(byte[] line) {
        int at = line.length - LINK_LENGTH;
        if (at < 1) {
            return null;
        }
        String end = new String(line, at, LINK_LENGTH, StandardCharsets.ISO_8859_1);
        String hash = end.substring(LINK.length(), LINK_LENGTH - 2);
        boolean isLink = end.startsWith(LINK) && end.endsWith("\"}") && hash.matches("[0-9a-f]{64}");
        return isLink ? hash : null;
    }

    /** The JSON of a line's entry, without the link. */
    static byte[] withoutLink(byte[] line) {
        if (previous(line) == null) {
            return line;
        }
        byte[] json = Arrays.copyOf(line, line.length - LINK_LENGTH + 1);
        json[json.length - 1] = '}';
        return json;
    }

    static String hash(byte[] line) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(line));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    /** Verifies the next line, which has this version and this location, such as {@code settings-audit.jsonl:7}. */
    void next(byte[] line, long version, String place) {
        String previous = previous(line);
        if (previous == null ? hasLinks : lastHash != null && !previous.equals(lastHash)) {
            report(place + ": this line does not follow the one before it; a line was changed, removed or added");
        }
        if (lastVersion >= 0 && version != lastVersion + 1) {
            report(place + ": version " + version + " follows version " + lastVersion + "; lines are missing or moved");
        }
        hasLinks |= previous != null;
        lastHash = hash(line);
        lastVersion = version;
    }

    /** The hash of the latest line; {@link #START} if there is none. */
    String head() {
        return lastHash == null ? START : lastHash;
    }

    /** The fault of the log of settings at this version; null if there is none. */
    @Nullable
    String fault(String file, long version) {
        if (Math.max(0, lastVersion) != version) {
            report(file + ": its last entry is of version " + Math.max(0, lastVersion) + " and the settings are at "
                    + version + "; the newest lines are missing");
        }
        return fault;
    }

    void report(String newFault) {
        if (fault == null) {
            fault = newFault;
        }
    }
}
