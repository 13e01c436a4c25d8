package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.release.Advisory.Resolved;
import dev.weir.release.Advisory.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No module ships or requires a version that a published advisory affects, unless the list has a reason. */
@Tag("io")
class AdvisoriesTest {
    private static final Pattern COORDINATES = Pattern.compile("^ +([\\w.-]+(?::[\\w.-]+){4,5})", Pattern.MULTILINE);
    private static final Pattern VENDORED = Pattern.compile("/vendor/(.+)-(\\d[\\w.]*)$");

    private final List<Advisory> advisories;
    private final Map<String, List<Resolved>> resolved = new TreeMap<>();

    AdvisoriesTest() throws IOException {
        advisories = Advisory.read(SourceTree.ROOT.resolve("release/advisories.yaml"));
        for (Modules.Module module : SourceTree.modules().all()) {
            Path list = module.directory().resolve("target/dependencies.txt");
            if (Files.exists(list)) {
                resolved.put(
                        module.toString(),
                        COORDINATES
                                .matcher(Files.readString(list))
                                .results()
                                .map(match -> Resolved.ofMaven(match.group(1)))
                                .toList());
            }
        }
        resolved.put("vendored", vendored());
    }

    @Test
    void resolvedVersions_areNotAffected_orTheListSaysWhy() {
        assertThat(findings(resolved)).isEmpty();
    }

    /** Otherwise the test would check nothing and pass. */
    @Test
    void everyLibrary_andWhatIsVendored_isLookedAt() {
        assertThat(resolved.keySet())
                .containsAll(SourceTree.modules().libraries().stream()
                        .map(Modules.Module::toString)
                        .toList());
        assertThat(resolved.get("weir-store-redis"))
                .extracting(Resolved::name)
                .contains("io.lettuce:lettuce-core", "io.netty:netty-handler");
        assertThat(resolved.get("vendored")).extracting(Resolved::name).contains("npm:preact");
    }

    @Test
    void exceptions_thatNothingNeeds_areGone() {
        assertThat(advisories.stream().flatMap(advisory -> advisory.exceptions().stream()))
                .filteredOn(exception -> resolved.containsKey(exception.module()))
                .allSatisfy(exception -> assertThat(resolved.get(exception.module()))
                        .anyMatch(one -> exception.covers(exception.module(), one)));
    }

    @Test
    void versions_thatAreAffected_areFound() {
        Map<String, List<Resolved>> older = Map.of(
                "a module",
                List.of(
                        Resolved.ofMaven("io.netty:netty-codec-http:jar:4.2.13.Final:compile"),
                        Resolved.ofMaven("io.vertx:vertx-core:jar:5.0.10:compile"),
                        new Resolved("npm:preact", new Version("10.28.0"))));

        assertThat(findings(older))
                .anySatisfy(finding -> assertThat(finding).contains("netty-codec-http 4.2.13.Final", "GHSA-8c42"))
                .anySatisfy(finding -> assertThat(finding).contains("vertx-core 5.0.10", "CVE-2026-6860"))
                .anySatisfy(finding -> assertThat(finding).contains("npm:preact 10.28.0", "CVE-2026-22028"));
    }

    @Test
    void versions_areOrderedByTheirNumbers() {
        assertThat(new Version("4.2.18.Final")).isGreaterThan(new Version("4.2.9.Final"));
        assertThat(new Version("4.2.15.Final")).isEqualByComparingTo(new Version("4.2.15"));
        assertThat(new Version("33.7.2-jre")).isLessThan(new Version("33.10.0-jre"));
    }

    private List<String> findings(Map<String, List<Resolved>> byModule) {
        List<String> findings = new ArrayList<>();
        byModule.forEach((module, all) -> {
            for (Resolved one : all) {
                for (Advisory advisory : advisories) {
                    if (advisory.affects(one)
                            && advisory.exceptions().stream().noneMatch(exception -> exception.covers(module, one))) {
                        findings.add(module + " has " + one + ": " + advisory.id());
                    }
                }
            }
        });
        return findings;
    }

    private static List<Resolved> vendored() throws IOException {
        List<Resolved> all = new ArrayList<>();
        for (Modules.Module module : SourceTree.modules().all()) {
            Path resources = module.directory().resolve("src/main/resources");
            if (Files.isDirectory(resources)) {
                try (Stream<Path> files = Files.walk(resources)) {
                    files.map(file -> VENDORED.matcher(file.toString().replace('\\', '/')))
                            .filter(Matcher::find)
                            .forEach(match ->
                                    all.add(new Resolved("npm:" + match.group(1), new Version(match.group(2)))));
                }
            }
        }
        return all;
    }
}
