package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.config.ConfigurationReader;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths are normalised, then compared, then bounded; ambiguous ones count under every interpretation. */
class PathInterpretationsTest {
    private static Weir weir(String yaml) {
        return Weir.inMemory(new ConfigurationReader().read("w.yaml", yaml).orThrow());
    }

    private static boolean allows(Weir weir, String path, String... more) {
        Map<String, String> attributes = new HashMap<>(Map.of("path", path, "ip", "203.0.113.9"));
        for (int i = 0; i < more.length; i += 2) {
            attributes.put(more[i], more[i + 1]);
        }
        return weir.check(attributes).allowed();
    }

    @Test
    void longPaths_areNormalisedBeforeTheyAreBounded() {
        try (Weir weir = weir("""
                limits:
                  - { name: login, match: { path: "/api/login" }, per: [ip], rate: 1/hour }
                  - { name: tail, match: { path: "/t/**/end" }, rate: 1/hour }
                """)) {
            assertThat(allows(weir, "/api/login")).isTrue();
            assertThat(allows(weir, "/".repeat(600) + "api/login")).isFalse();
            assertThat(allows(weir, "/api;" + "a".repeat(600) + "/login")).isFalse();
            assertThat(allows(weir, "/api/" + "./".repeat(400) + "login")).isFalse();
            assertThat(allows(weir, "/t/" + "x".repeat(1000) + "/end")).isTrue();
            assertThat(allows(weir, "/t/" + "x".repeat(2000) + "/end")).isFalse();
        }
    }

    @Test
    void longPaths_asKeys_areBoundedAndToldApart() {
        try (Weir weir = weir("limits: [{ name: each, per: [path], rate: 1/hour }]")) {
            assertThat(allows(weir, "/" + "x".repeat(1000))).isTrue();
            assertThat(allows(weir, "//" + "x".repeat(1000))).isFalse();
            assertThat(allows(weir, "/" + "x".repeat(1001))).isTrue();
        }
    }

    @Test
    void escapes_areDecodedOnceOnBothSides() {
        try (Weir weir = weir("""
                limits:
                  - { name: ai, match: { path: "/v1/models/*:generate" }, rate: 1/hour }
                  - { name: cafe, match: { path: "/café" }, rate: 1/hour }
                  - { name: bar, match: { path: "/b%C3%A4r/" }, rate: 1/hour }
                  - { name: star, match: { path: "/a%2Ab" }, rate: 1/hour }
                """)) {
            assertThat(allows(weir, "/v1/models/m:generate")).isTrue();
            assertThat(allows(weir, "/v1/models/m%3Agenerate")).isFalse();
            assertThat(allows(weir, "/v1/models/m%253Agenerate")).isTrue();
            assertThat(allows(weir, "/caf%C3%A9")).isTrue();
            assertThat(allows(weir, "/café")).isFalse();
            assertThat(allows(weir, "/caf%c3%a9/")).isFalse();
            assertThat(allows(weir, "/bär")).isTrue();
            assertThat(allows(weir, "/b%c3%a4r")).isFalse();
            assertThat(allows(weir, "/a*b")).isTrue();
            assertThat(allows(weir, "/a%2ab")).isFalse();
        }
    }

    /**
     * The interpretation of servers that resolve dot segments, then decode: {@code decodeURIComponent(new
     * URL(path).pathname)}.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/x/../export%2f../z",
                "/./export%2F../z",
                "/../export%2f%2e%2e/z",
                "/x/%2e%2e/export%2f../z",
                "/x\\..\\export%2f../z",
                "/x/..;%2fa/export/z",
            })
    void dotSegmentsBesideEscapedSlashes_areReadApartFromOthers(String path) {
        try (Weir weir = weir("limits: [{ name: export, match: { path: '/export/**' }, per: [ip], rate: 1/hour }]")) {
            assertThat(allows(weir, path)).isTrue();
            assertThat(allows(weir, "/export/z")).isFalse();
        }
    }

    /** The interpretation of servers that drop parameters up to the next slash, then decode. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%2fexport;%2fz",
                "/export%2fa;%2f..%2f..%2fz",
                "/x%2f..%2fexport;a%2fb",
                "/%5Cexport;%5Cz",
                "\\export;\\z"
            })
    void separatorsInParameters_mayBePartOfThem(String path) {
        try (Weir weir = weir("limits: [{ name: export, match: { path: '/export/**' }, per: [ip], rate: 1/hour }]")) {
            assertThat(allows(weir, path)).isTrue();
            assertThat(allows(weir, "/export/z")).isFalse();
        }
    }

    @Test
    void ambiguousPaths_countUnderEveryReading() {
        try (Weir weir = weir("""
                limits:
                  - { name: export, match: { path: "/export/**" }, per: [ip], rate: 3/hour }
                  - { name: z, match: { path: "/z" }, per: [ip], rate: 5/hour }
                """)) {
            assertThat(allows(weir, "/export/a%2f..%2f..%2fz")).isTrue();
            assertThat(allows(weir, "/export/..\\..\\z")).isTrue();
            assertThat(allows(weir, "/export/../z")).isTrue();
            assertThat(allows(weir, "/export/a%2f..%2f..%2fz")).isFalse();
            assertThat(allows(weir, "/z")).isTrue();
            assertThat(allows(weir, "/z")).isTrue();
            assertThat(allows(weir, "/z"))
                    .as("both limits counted the three before")
                    .isFalse();
        }
    }

    @Test
    void anAmbiguousPath_isChargedOncePerBudgetAndByTheStrictestRow() {
        try (Weir weir = weir("""
                classify:
                  - { set: weight, from: path, values: { heavy: "/heavy/**" }, default: light }
                limits:
                  - { name: all, per: [ip], by: weight, rate: { heavy: 2/hour, default: 100/hour } }
                  - { name: each, match: { path: "/p/**" }, per: [path], rate: 1/hour }
                """)) {
            assertThat(allows(weir, "/heavy/../x")).isTrue();
            assertThat(allows(weir, "/heavy/%2e%2e/x")).isTrue();
            assertThat(allows(weir, "/heavy/../x")).isFalse();
            assertThat(allows(weir, "/x")).isTrue();
            assertThat(allows(weir, "/p/a%2Fb", "ip", "203.0.113.10")).isTrue();
            assertThat(allows(weir, "/p/a/b", "ip", "203.0.113.10")).isFalse();
            assertThat(allows(weir, "/p/c", "ip", "203.0.113.10")).isTrue();
        }
    }

    @Test
    void anExemptPath_isExemptOnlyIfEveryReadingIs() {
        try (Weir weir = weir("""
                exempt: { path: [/health/] }
                limits: [{ name: all, per: [ip], rate: 1/hour }]
                """)) {
            assertThat(allows(weir, "/x")).isTrue();
            assertThat(allows(weir, "/health")).isTrue();
            assertThat(allows(weir, "/health/")).isTrue();
            assertThat(allows(weir, "/health;x")).isFalse();
            assertThat(allows(weir, "/x/..%2fhealth")).isFalse();
        }
    }

    @Test
    void ambiguousPaths_canBeRefused() {
        try (Weir weir = weir("""
                paths: { ambiguous: refuse }
                limits: [{ name: all, per: [ip], rate: 100/hour }]
                """)) {
            assertThat(allows(weir, "/a/b/")).isTrue();
            assertThat(allows(weir, "/caf%C3%A9")).isTrue();
            for (String path :
                    new String[] {"/a%2Fb", "/a//b", "/a/../b", "/a;b", "/a\\b", "/a%00", "/a/%2e", "/%E9"}) {
                assertThatThrownBy(() -> allows(weir, path))
                        .as(path)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("which servers read in different ways (")
                        .hasMessageEndingWith("it must be unambiguous");
            }
        }
    }

    @Test
    void aPathWithTooManyReadings_isRefusedWherePathsCount() {
        String path = "/a//b%2Fc\\d;e/../f";
        try (Weir weir = weir("limits: [{ name: f, match: { path: \"/f\" }, rate: 100/hour }]")) {
            assertThatThrownBy(() -> allows(weir, path))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "attribute 'path' is '/a//b%2Fc\\d;e/../f', which servers read in different ways (dot segments,"
                                    + " empty segments, escaped slashes, backslashes, path parameters after ';'); it must be"
                                    + " simpler");
        }
        try (Weir weir = weir("limits: [{ name: all, per: [ip], rate: 100/hour }]")) {
            assertThat(allows(weir, path)).isTrue();
        }
    }

    @Test
    void upperAndLowerCase_areOneWhereTheConfigurationSaysSo() {
        try (Weir weir = weir("""
                paths: { case: insensitive }
                exempt: { path: [/Health] }
                limits: [{ name: login, match: { path: "/Login/**" }, per: [path], rate: 1/hour }]
                """)) {
            assertThat(allows(weir, "/login/a")).isTrue();
            assertThat(allows(weir, "/LOGIN/A")).isFalse();
            assertThat(allows(weir, "/%4Cogin/%41")).isFalse();
        }
        try (Weir weir = weir("limits: [{ name: login, match: { path: \"/login\" }, rate: 1/hour }]")) {
            assertThat(allows(weir, "/login")).isTrue();
            assertThat(allows(weir, "/Login")).isTrue();
        }
    }

    @Test
    void rowsOfPaths_areFoundHoweverTheyAreSpelled() {
        try (Weir weir = weir("""
                limits:
                  - { name: rows, per: [ip], by: path, rate: { /café: 1/hour, default: 100/hour } }
                """)) {
            assertThat(allows(weir, "/caf%C3%A9")).isTrue();
            assertThat(allows(weir, "/caf%c3%a9")).isFalse();
        }
    }
}
