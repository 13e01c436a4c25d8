package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestPathTest {
    /** Different spellings of one path must not be different to a rule. */
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
        "/%61dmin%2Flogin, /admin/login",
        "/admin/login?a=b, /admin/login",
        "/admin/login#x, /admin/login",
        "/admin/login;jsessionid=1, /admin/login",
        "/admin;x/login, /admin/login",
        "\\admin\\login, /admin/login",
        "/admin/%2e%2e/admin/login, /admin/login",
        "/admin/login/., /admin/login",
        "admin/login, /admin/login",
        "'', /",
        "/, /",
        "/?x, /",
        "/a/..;/b, /b",
        "/%zz, /%zz",
        "/%, /%",
        "/%2525, /%2525",
        "/caf%C3%A9, /caf%C3%A9",
        "/..., /...",
        "/.well-known/x, /.well-known/x"
    })
    void normalize_everySpelling_isOnePath(String given, String expected) {
        assertThat(RequestPath.normalize(given)).isEqualTo(expected);
    }

    @Test
    void normalize_twice_changesNothingMoreUnlessSomethingWasEscapedTwice() {
        Random random = new Random(3);
        String alphabet = "ab/.;?#%2eF\\";
        for (int i = 0; i < 100_000; i++) {
            StringBuilder path = new StringBuilder("/");
            for (int length = random.nextInt(14); length > 0; length--) {
                path.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String once = RequestPath.normalize(path.toString());
            assertThat(once).startsWith("/");
            assertThat(once).doesNotContain("//", "?", "#", ";", "\\");
            if (once.indexOf('%') < 0) {
                assertThat(RequestPath.normalize(once)).as("%s", path).isEqualTo(once);
            }
        }
    }
}
