package dev.weir.engine.plan;

import dev.weir.Key;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds a limit's keys from its name and the values of the attributes in {@code per}. Immutable.
 *
 * <p>Where {@code per} has alternatives, the name of the attribute that was present is part of the key: the device
 * "1.2.3.4" is not the address 1.2.3.4. All keys of a limit have the same number of parts, except for the {@linkplain
 * Row#suffixes suffix} of overrides and further rates, which begins with a word of its own. So two of them never
 * collide.
 */
public final class KeyBuilder {
    private final String limit;
    private final List<List<String>> names;
    private final int[][] parts;
    private final boolean hasAlternatives;
    /** The only key of a limit whose {@code per} is empty. */
    private final Key whole;

    KeyBuilder(String limit, List<List<String>> per, AttributeIndex index) {
        this.limit = limit;
        this.names = per;
        this.parts = per.stream()
                .map(part -> part.stream().mapToInt(index::of).toArray())
                .toArray(int[][]::new);
        this.hasAlternatives = per.stream().anyMatch(part -> part.size() > 1);
        this.whole = Key.of(limit, List.of());
    }

    /** Whether the request has all attributes that a key needs. */
    boolean fits(@Nullable String[] values) {
        for (int[] part : parts) {
            if (firstPresent(part, values) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The key of a request that {@link #fits}. */
    public Key key(@Nullable String[] values, List<String> suffix) {
        if (!hasAlternatives && suffix.isEmpty() && parts.length <= 2) {
            return switch (parts.length) {
                case 0 -> whole;
                case 1 -> whole.and(present(0, values));
                default -> whole.and(present(0, values)).and(present(1, values));
            };
        }
        List<String> all = new ArrayList<>(parts.length * 2 + suffix.size());
        for (int part = 0; part < parts.length; part++) {
            if (parts[part].length > 1) {
                all.add(names.get(part).get(firstPresent(parts[part], values)));
            }
            all.add(present(part, values));
        }
        all.addAll(suffix);
        return Key.of(limit, all);
    }

    /** The parts of {@code per} that the request lacks, alternatives joined by {@code |}. */
    List<String> missing(@Nullable String[] values) {
        return partsWhere(values, false);
    }

    /** The parts of {@code per}, alternatives joined by {@code |}. */
    public List<String> parts() {
        return names.stream().map(part -> String.join("|", part)).toList();
    }

    /** The attributes in the key: the first present one of each part. */
    public List<String> keyedBy(@Nullable String[] values) {
        return partsWhere(values, true);
    }

    private List<String> partsWhere(@Nullable String[] values, boolean isPresent) {
        List<String> found = new ArrayList<>(parts.length);
        for (int part = 0; part < parts.length; part++) {
            int first = firstPresent(parts[part], values);
            if (first >= 0 == isPresent) {
                found.add(isPresent ? names.get(part).get(first) : String.join("|", names.get(part)));
            }
        }
        return List.copyOf(found);
    }

    /** The position of an attribute in {@code per}; after all of them if it is not there. */
    int placeOf(String attribute) {
        for (int part = 0; part < names.size(); part++) {
            if (names.get(part).contains(attribute)) {
                return part;
            }
        }
        return names.size();
    }

    /** Whether one of these values is part of a key. */
    boolean hasOneOf(@Nullable String[] values) {
        for (int[] part : parts) {
            if (firstPresent(part, values) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** The numbers of the attributes of each part. */
    int[][] partNumbers() {
        return parts;
    }

    /** Whether a key has several parts. */
    boolean isCompound() {
        return parts.length > 1;
    }

    /** The attributes in the key of values that {@link #fits fit}, with their values. */
    Map<String, String> attributes(@Nullable String[] values) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int part = 0; part < parts.length; part++) {
            attributes.put(names.get(part).get(firstPresent(parts[part], values)), present(part, values));
        }
        return attributes;
    }

    /** Adds the values in this limit's key to the given ones; null if the given ones belong to another key. */
    @Nullable
    String @Nullable [] valuesOf(Key key, @Nullable String[] given) {
        @Nullable String[] values = given.clone();
        List<String> all = key.values();
        int at = 0;
        for (int part = 0; part < parts.length; part++) {
            int chosen = parts[part].length == 1 || at >= all.size()
                    ? 0
                    : names.get(part).indexOf(all.get(at++));
            if (chosen < 0 || at >= all.size()) {
                return null;
            }
            String value = all.get(at++);
            int wanted = firstPresent(parts[part], given);
            if (wanted >= 0 && (wanted != chosen || !value.equals(given[parts[part][wanted]]))) {
                return null;
            }
            values[parts[part][chosen]] = value;
        }
        return values;
    }

    private String present(int part, @Nullable String[] values) {
        String value = values[parts[part][firstPresent(parts[part], values)]];
        if (value == null) {
            throw new AssertionError("the request has been found to fit");
        }
        return value;
    }

    static int firstPresent(int[] alternatives, @Nullable String[] values) {
        for (int i = 0; i < alternatives.length; i++) {
            if (values[alternatives[i]] != null) {
                return i;
            }
        }
        return -1;
    }
}
