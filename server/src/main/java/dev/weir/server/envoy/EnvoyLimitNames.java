package dev.weir.server.envoy;

import dev.weir.server.envoy.EnvoyLimit.DescriptorName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Names Weir's limits after Envoy's descriptors: {@code shop.plan_free.user}, as the statistics do.
 *
 * <p>A path with other characters than names may have, a long one, and one that reads like another path get a digest of
 * the whole path at the end. So a name is unique, and stays the same whatever else the files contain.
 */
final class EnvoyLimitNames {
    /** The longest name of a limit. */
    private static final int LONGEST = 64;

    private static final int DIGEST = 12;

    private EnvoyLimitNames() {}

    /** Names the limits, puts each into its node, and returns them in the order of the files. */
    static List<EnvoyLimit> assign(List<DescriptorReader.Draft> drafts) {
        Map<String, Long> uses = drafts.stream()
                .map(draft -> plain(draft.limit()))
                .collect(Collectors.groupingBy(name -> name, HashMap::new, Collectors.counting()));
        List<EnvoyLimit> limits = new ArrayList<>(drafts.size());
        for (DescriptorReader.Draft draft : drafts) {
            EnvoyLimit unnamed = draft.limit();
            String plain = plain(unnamed);
            boolean isUsable = uses.getOrDefault(plain, 0L) == 1
                    && plain.length() <= LONGEST
                    && plain.matches("[A-Za-z0-9_][A-Za-z0-9_.-]*")
                    && !EnvoyLimits.RESERVED.contains(plain);
            EnvoyLimit named = new EnvoyLimit(
                    unnamed.domain(),
                    unnamed.path(),
                    isUsable ? plain : digested(plain, unnamed),
                    unnamed.requestsPerUnit(),
                    unnamed.unit(),
                    unnamed.name(),
                    unnamed.replaces(),
                    unnamed.shadow(),
                    unnamed.quota(),
                    unnamed.detailedMetric());
            draft.node().limit = named;
            limits.add(named);
        }
        return limits;
    }

    private static String plain(EnvoyLimit limit) {
        return Stream.concat(Stream.of(limit.domain()), limit.path().stream().map(DescriptorName::text))
                .collect(Collectors.joining("."));
    }

    private static String digested(String plain, EnvoyLimit limit) {
        String usable = plain.replaceAll("[^A-Za-z0-9_.-]", "_").replaceAll("^[.-]", "_");
        String readable = usable.substring(0, Math.min(usable.length(), LONGEST - DIGEST - 1));
        List<RateLimitQuery.Entry> path = limit.path().stream()
                .map(name -> new RateLimitQuery.Entry(name.key(), name.value()))
                .toList();
        String identity = EntriesText.of(List.of(new RateLimitQuery.Entry("domain", limit.domain()))) + "/"
                + EntriesText.of(path);
        return readable + "-" + EntriesText.digest(identity).substring(0, DIGEST);
    }
}
