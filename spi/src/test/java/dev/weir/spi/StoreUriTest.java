package dev.weir.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreUriTest {
    private static final List<String> OPTIONS = List.of("prefix", "timeout", "tls", "token");

    @Test
    void parse_everyPart_isRead() {
        StoreUri uri = parse("some://us%3Aer:p@ss@a:1,[::1]:2/th%20e/path?prefix=a+b%26c&timeout=2m&tls=true");

        assertThat(uri.base()).isEqualTo("some://us%3Aer:p@ss@a:1,[::1]:2/th%20e/path");
        assertThat(uri.scheme()).isEqualTo("some");
        assertThat(uri.userInfo()).isEqualTo("us%3Aer:p@ss");
        assertThat(uri.authority()).isEqualTo("a:1,[::1]:2");
        assertThat(uri.path()).isEqualTo("th e/path");
        assertThat(uri.option("prefix")).isEqualTo("a+b&c");
        assertThat(uri.duration("timeout", Duration.ZERO)).isEqualTo(Duration.ofMinutes(2));
        assertThat(uri.flag("tls", false)).isTrue();
    }

    @Test
    void parse_whatIsNotThere_isAsOtherwise() {
        StoreUri uri = parse("some://host?");

        assertThat(uri.userInfo()).isNull();
        assertThat(uri.path()).isEmpty();
        assertThat(uri.options()).isEmpty();
        assertThat(uri.option("prefix")).isNull();
        assertThat(uri.option("prefix", "weir")).isEqualTo("weir");
        assertThat(uri.duration("timeout", Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
        assertThat(uri.flag("tls", true)).isTrue();
        assertThat(parse("some:file").scheme()).isEmpty();
    }

    @Test
    void optionsOfOthers_stayAsTheyAre() {
        StoreUri uri =
                StoreUri.parse("some:x?user=%zz&prefix=p&flag", "SQL", OPTIONS, List.of("user", "flag")::contains);

        assertThat(uri.passedOn()).containsExactly("user=%zz", "flag");
        assertThat(uri.options()).containsOnlyKeys("prefix");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tiemout=1s | the Some store has no option 'tiemout'; there are prefix, timeout, tls, token; did you mean 'timeout'?",
                "x=1&colour=2 | the Some store has no option 'x', 'colour'; there are prefix, timeout, tls, token",
                "prefix | the Some store's option prefix has no value",
                "token=S3CRET&token=S3CRET | the Some store's option token is given twice; it must be given once",
                "token=S3CRET%zz | token has a % that is not followed by two hexadecimal digits (write a plain % as %25)",
            })
    void parse_whatIsWrong_saysSoWithoutSecrets(String query, String message) {
        assertThatThrownBy(() -> parse("some://u:S3CRET@host?" + query))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void values_thatAreWrong_areExplained() {
        StoreUri uri = parse("some://host?timeout=fast&tls=yes");

        assertThatThrownBy(() -> uri.duration("timeout", Duration.ZERO))
                .hasMessage("timeout is 'fast'; it must be like 50ms or 2s");
        assertThatThrownBy(() -> uri.flag("tls", false)).hasMessage("the option 'tls' must be true or false");
    }

    private static StoreUri parse(String uri) {
        return StoreUri.parse(uri, "Some", OPTIONS);
    }
}
