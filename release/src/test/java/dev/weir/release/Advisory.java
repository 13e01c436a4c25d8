package dev.weir.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

/** A published advisory about a package, as listed in {@code release/advisories.yaml}. */
record Advisory(String id, String ofPackage, List<Range> affected, List<Waiver> exceptions) {

    /** The versions from {@code from} (inclusive) up to {@code fixed} (exclusive). */
    record Range(Version from, Version fixed) {
        boolean contains(Version version) {
            return version.compareTo(from) >= 0 && version.compareTo(fixed) < 0;
        }
    }

    /** An affected version that one module keeps. */
    record Waiver(String module, String artifact, Version version, String reason) {
        boolean covers(String ofModule, Resolved resolved) {
            return ofModule.equals(module)
                    && resolved.name().equals(artifact)
                    && resolved.version().compareTo(version) == 0;
        }
    }

    /** A package in the version that a build has resolved. */
    record Resolved(String name, Version version) {
        /** Parses {@code group:artifact:type[:classifier]:version:scope}. */
        static Resolved ofMaven(String coordinates) {
            String[] parts = coordinates.split(":");
            return new Resolved(parts[0] + ":" + parts[1], new Version(parts[parts.length - 2]));
        }

        @Override
        public String toString() {
            return name + " " + version.text();
        }
    }

    /** A version, ordered by its numbers: {@code 4.2.18.Final} equals {@code 4.2.18}. */
    record Version(String text) implements Comparable<Version> {
        @Override
        public int compareTo(Version other) {
            String[] own = text.split("[.-]");
            String[] others = other.text.split("[.-]");
            for (int i = 0; i < Math.max(own.length, others.length); i++) {
                int order = Long.compare(number(own, i), number(others, i));
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        }

        private static long number(String[] parts, int index) {
            return index < parts.length && parts[index].matches("\\d{1,18}") ? Long.parseLong(parts[index]) : 0;
        }
    }

    static List<Advisory> read(Path file) throws IOException {
        Load yaml =
                new Load(LoadSettings.builder().setSchema(new FailsafeSchema()).build());
        List<Advisory> all = new ArrayList<>();
        for (Object entry : (List<?>) yaml.loadFromString(Files.readString(file))) {
            all.add(of((Map<?, ?>) entry));
        }
        return all;
    }

    private static Advisory of(Map<?, ?> entry) {
        List<Range> ranges = new ArrayList<>();
        for (Object range : (List<?>) entry.get("affected")) {
            Object from = ((Map<?, ?>) range).get("from");
            ranges.add(new Range(
                    new Version(from == null ? "0" : text(range, "from")), new Version(text(range, "fixed"))));
        }
        List<Waiver> waivers = new ArrayList<>();
        if (entry.get("exceptions") instanceof List<?> exceptions) {
            for (Object one : exceptions) {
                waivers.add(new Waiver(
                        text(one, "module"),
                        text(one, "package"),
                        new Version(text(one, "version")),
                        text(one, "reason")));
            }
        }
        return new Advisory(text(entry, "id"), text(entry, "package"), List.copyOf(ranges), List.copyOf(waivers));
    }

    private static String text(Object map, String key) {
        Object value = ((Map<?, ?>) map).get(key);
        if (!(value instanceof String text) || text.isBlank()) {
            throw new IllegalArgumentException("'" + key + "' is missing in " + map);
        }
        return text;
    }

    boolean affects(Resolved resolved) {
        boolean isAbout = ofPackage.endsWith("*")
                ? resolved.name().startsWith(ofPackage.substring(0, ofPackage.length() - 1))
                : resolved.name().equals(ofPackage);
        return isAbout && affected.stream().anyMatch(range -> range.contains(resolved.version()));
    }
}
