package dev.weir.engine.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestPathTest {
    /** Different spellings of one path must be equal for a rule. */
    @ParameterizedTest
    @CsvSource({
        "/admin/login, /admin/login",
        "/admin/login/, /admin/login",
        "/admin//login, /admin/login",
        "//admin/login, /admin/login",
        "/admin/./login, /admin/login",
        "/admin/x/../login, /admin/login",
        "/../admin/login, /admin/login",
        "/admin/%6Cogin, /admin/login",
        "/%61dmin%2Flogin, /admin%2Flogin",
        "/admin/login?a=b, /admin/login",
        "/admin/login#x, /admin/login",
        "/admin/login;jsessionid=1, /admin/login",
        "/admin;x/login, /admin/login",
        "\\admin\\login, /\\admin\\login",
        "/admin/%2e%2e/admin/login, /admin/../admin/login",
        "/export/a%2f..%2f..%2fz, /export/a%2F..%2F..%2Fz",
        "/admin/login/., /admin/login",
        "admin/login, /admin/login",
        "http://host/admin/login?x, /admin/login",
        "http://host, /",
        "'', /",
        "/, /",
        "/?x, /",
        "/a/..;/b, /b",
        "/m%3Agenerate, /m:generate",
        "/%zz, /%zz",
        "/%, /%",
        "/%4, /%4",
        "/%2525, /%25",
        "/caf%C3%A9, /café",
        "/café, /café",
        "/cafÃ©, /café",
        "/%F0%9F%98%80, /😀",
        "/caf%e9, /caf%E9",
        "/%c0%af, /%C0%AF",
        "/%ed%a0%80, /%ED%A0%80",
        "/%f5%80%80%80, /%F5%80%80%80",
        "/..., /...",
        "/.well-known/x, /.well-known/x"
    })
    void usual_everySpelling_isOnePath(String given, String expected) {
        assertThat(RequestPath.of(given).usual()).isEqualTo(expected);
        assertThat(RequestPath.of(given).interpretations().iterator().next()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/b, 0, /a/b",
        "/a%41, 0, /aA",
        "/a/, 0, /a | /a/",
        "/.well-known/x, 0, /.well-known/x",
        "/a%2Fb, 1, /a%2Fb | /a/b",
        "/a\\b, 1, /a\\b | /a/b",
        "/a%5Cb, 1, /a\\b | /a/b",
        "/a;x/b, 1, /a/b | /a;x/b",
        "/a%3Bx/b, 1, /a;x/b | /a/b",
        "/a/../b, 1, /b | /a/../b",
        "/a/%2e%2E/b, 1, /a/../b | /b",
        "/a/.%2e/b, 1, /a/../b | /b",
        "/a//b, 1, /a/b | /a//b",
        "/a#b, 1, /a | /a#b",
        "/caf%e9, 1, /caf%E9 | /café",
        "/export/a%2f..%2f..%2fz, 2, /export/a%2F..%2F..%2Fz | /z | /export/a/../../z",
        "/a\\..\\b, 2, /a\\..\\b | /b | /a/../b",
        "//h/b, 2, /h/b | /b | //h/b",
        "/a/..;x/b, 2, /b | /a/..;x/b | /a/../b",
    })
    void interpretations_areAllThatServersTakeItFor(String given, int doubts, String interpretations) {
        RequestPath path = RequestPath.of(given);
        assertThat(path.doubts()).isEqualTo(doubts);
        assertThat(path.interpretations()).containsExactlyInAnyOrder(interpretations.split(" \\| "));
    }

    @Test
    void controlCharacters_areKeptOrNot() {
        assertThat(RequestPath.of("/lo%00gin").interpretations()).containsExactlyInAnyOrder("/lo\0gin", "/lo");
        assertThat(RequestPath.of("/lo\tgin").interpretations()).containsExactlyInAnyOrder("/lo\tgin", "/login");
    }

    @Test
    void isPlain_onlyWhereThereIsOneReadingWhichIsThePath() {
        Random random = new Random(3);
        String alphabet = "ab/.;?#%2eF\\";
        int plain = 0;
        for (int i = 0; i < 100_000; i++) {
            String path = random(random, alphabet);
            if (RequestPath.isPlain(path)) {
                plain++;
                assertThat(RequestPath.of(path).interpretations()).as(path).isEqualTo(Set.of(path));
            }
        }
        assertThat(plain).isGreaterThan(1000);
    }

    @Test
    void readings_ofAnything_arePathsAndFew() {
        Random random = new Random(4);
        String alphabet = "ab/.;?#%2eFf5cC\\\0";
        for (int i = 0; i < 100_000; i++) {
            String path = random(random, alphabet);
            RequestPath parsed = RequestPath.of(path);
            assertThat(parsed.usual()).as(path).startsWith("/");
            if (parsed.doubts() <= RequestPath.MOST_DOUBTS) {
                assertThat(parsed.interpretations())
                        .as(path)
                        .hasSizeLessThanOrEqualTo(2 << RequestPath.MOST_DOUBTS)
                        .allMatch(interpretation -> interpretation.startsWith("/"));
            }
        }
    }

    private static String random(Random random, String alphabet) {
        StringBuilder path = new StringBuilder("/");
        for (int length = random.nextInt(14); length > 0; length--) {
            path.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return path.toString();
    }
}
