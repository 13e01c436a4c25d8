package dev.weir.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The versions of an application's jars, by their names: {@code lettuce-core-6.6.0.RELEASE.jar}. */
final class Jars {
    private static final Pattern NAME = Pattern.compile("(?:.*/)?([^/]+?)-(\\d+(?:\\.\\d+)*)[^/]*\\.jar");

    private Jars() {}

    static Map<String, String> ofFolder(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return versions(files.map(Path::toString));
        }
    }

    /** The jars inside an executable jar of Spring Boot. */
    static Map<String, String> ofArchive(Path archive) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            return versions(zip.stream().map(ZipEntry::getName));
        }
    }

    /** Compares versions number by number. */
    static int compare(String one, String other) {
        return Arrays.compare(numbers(one), numbers(other));
    }

    private static Map<String, String> versions(Stream<String> names) {
        Map<String, String> versions = new TreeMap<>();
        names.map(NAME::matcher).filter(Matcher::matches).forEach(name -> versions.put(name.group(1), name.group(2)));
        return versions;
    }

    private static int[] numbers(String version) {
        return Stream.of(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }
}
