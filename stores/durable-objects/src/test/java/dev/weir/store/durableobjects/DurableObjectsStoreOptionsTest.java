package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurableObjectsStoreOptionsTest {

    @Test
    void parse_ofTheShortestUri_hasTheDefaults() {
        DurableObjectsStoreOptions options =
                DurableObjectsStoreOptions.parse("durable-objects+https://weir.example.workers.dev?token=s3cret");
        assertThat(options.tls()).isTrue();
        assertThat(options.host()).isEqualTo("weir.example.workers.dev");
        assertThat(options.port()).isEqualTo(443);
        assertThat(options.token().secret()).isEqualTo("s3cret");
        assertThat(options.prefix()).isEqualTo("weir");
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void parse_ofAllOptions_hasThem() {
        DurableObjectsStoreOptions options = DurableObjectsStoreOptions.parse(
                "durable-objects+http://[::1]:8787/?token=a%26b%3Dc+d%25&prefix=shop:eu&timeout=250ms");
        assertThat(options.tls()).isFalse();
        assertThat(options.host()).isEqualTo("[::1]");
        assertThat(options.port()).isEqualTo(8787);
        assertThat(options.token().secret()).isEqualTo("a&b=c+d%");
        assertThat(options.prefix()).isEqualTo("shop:eu");
        assertThat(options.timeout()).isEqualTo(Duration.ofMillis(250));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "durable-objects://h?token=S3CRET | must begin with durable-objects+https://",
                "durable-objects+ftp://h?token=S3CRET | must begin with durable-objects+https://",
                "durable-objects+https://h | has no token; add ?token=",
                "durable-objects+https://h?token= | token must have 1 to 512 visible",
                "durable-objects+https://h?token=S3CRET%0A | token must have 1 to 512 visible",
                "durable-objects+https://h?token=S3CRET%zz | token has a % that",
                "durable-objects+https://h?token=S3CRET&token=S3CRET | option token is given twice",
                "durable-objects+https://h?token=S3CRET&tiemout=1s | has no option 'tiemout'; there are token, prefix, timeout, ca",
                "durable-objects+https://h?token=S3CRET&timeout=fast | timeout is 'fast'; it must be like 50ms or 2s",
                "durable-objects+https://h?token=S3CRET&timeout=2000s | it must be a millisecond to a minute",
                "durable-objects+https://h?token=S3CRET&prefix=a%2Fb | prefix is 'a/b'; it must have",
                "durable-objects+http://h?token=S3CRET&ca=/x.pem | ca is given, but durable-objects+http:// is not encrypted",
                "durable-objects+https://h:0?token=S3CRET | the port is 0; it must be 1 to 65535",
                "durable-objects+https://h:x?token=S3CRET | must be a number of 1 to 65535",
                "durable-objects+https://S3CRET@h?token=x | has a user or password before its host",
                "durable-objects+https://h/limits?token=S3CRET | has a path; it must name the worker's host only",
                "durable-objects+https://?token=S3CRET | the host is ''; it must be the worker's name",
                "durable-objects+https://a b?token=S3CRET | the host is 'a b'; it must be the worker's name",
            })
    void parse_ofAWrongUri_saysWhatIsWrongAndNoSecret(String uri, String message) {
        assertThatThrownBy(() -> DurableObjectsStoreOptions.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .message()
                .doesNotContain("S3CRET");
    }

    @Test
    void toString_never_showsTheToken() {
        assertThat(DurableObjectsStoreOptions.parse("durable-objects+https://h?token=S3CRET"))
                .asString()
                .doesNotContain("S3CRET");
    }
}
