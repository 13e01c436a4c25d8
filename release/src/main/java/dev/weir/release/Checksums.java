package dev.weir.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Checks the files beside each file of a bundle: its digests and, in a signed bundle, its signature. */
final class Checksums {
    private Checksums() {}

    static void check(List<Path> files, List<String> faults) throws IOException {
        boolean isSigned = files.stream().anyMatch(file -> ends(file, ".asc"));
        for (Path file : files) {
            if (ends(file, ".md5") || ends(file, ".sha1") || ends(file, ".sha256") || ends(file, ".sha512")) {
                continue;
            }
            for (String end : List.of(".md5", ".sha1")) {
                checkDigest(file, end, faults);
            }
            if (isSigned && !ends(file, ".asc") && !Files.exists(beside(file, ".asc"))) {
                faults.add(file.getFileName() + " is not signed, but others are");
            }
        }
    }

    private static void checkDigest(Path file, String end, List<String> faults) throws IOException {
        Path digest = beside(file, end);
        if (!Files.exists(digest)) {
            if (!ends(file, ".asc")) { // a signature needs none
                faults.add(file.getFileName() + " has no " + end);
            }
        } else if (!Files.readString(digest).strip().equals(digestOf(file, end))) {
            faults.add(digest.getFileName() + " is not the digest of its file");
        }
    }

    private static String digestOf(Path file, String end) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance(end.equals(".md5") ? "MD5" : "SHA-1");
            return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static Path beside(Path file, String end) {
        return file.resolveSibling(file.getFileName() + end);
    }

    private static boolean ends(Path file, String end) {
        return file.toString().endsWith(end);
    }
}
