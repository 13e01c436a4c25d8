package dev.weir.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RefusalBodyTest {
    @Test
    void placeholders_haveTheValuesOfTheRefusal() {
        assertThat(text(
                        "text/plain",
                        "{limit} per {scope}: {remaining} of {capacity}, {reason}, {retry_after_secs} s",
                        1))
                .isEqualTo("everyone per global: 0 of 1, limited, 3600 s");
        assertThat(text("application/json; charset=utf-8", "{\"limit\":\"{limit}\",\"ms\":{retry_after_ms}}", 1))
                .matches("\\{\"limit\":\"everyone\",\"ms\":3[56]\\d{5}}");
    }

    @Test
    void valueThatDoesNotExist_isNullInJsonAndElsewhereEmpty() {
        assertThat(text("application/problem+json", "{\"wait\":{retry_after_secs}}", 5))
                .isEqualTo("{\"wait\":null}");
        assertThat(text("text/plain", "wait {retry_after_secs}", 5)).isEqualTo("wait ");
    }

    @Test
    void braces_thatAreNoPlaceholder_stay() {
        assertThat(text("application/json", "{\"a\":{},\"b\":{\"c\":[{}]}}", 1))
                .isEqualTo("{\"a\":{},\"b\":{\"c\":[{}]}}");
    }

    @Test
    void template_withAFault_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RefusalBody.of("text/plain", "{limt}"))
                .withMessageContaining("{limt}, which does not exist; did you mean {limit}?");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RefusalBody.of("application/json", "{\"limit\":{limit}}"))
                .withMessageContaining("is not JSON");
    }

    private static String text(String contentType, String template, long cost) {
        try (Weir weir = Weir.inMemory(new ConfigurationReader(name -> null)
                .read("t.yaml", "version: 1\nlimits:\n  - { name: everyone, per: [], rate: 1/hour }\n")
                .orThrow())) {
            weir.check(Map.of());
            Outcome refused = weir.check(new Request(Map.of(), cost, Map.of()));
            assertThat(refused.allowed()).isFalse();
            return new String(RefusalBody.of(contentType, template).bytes(refused), StandardCharsets.UTF_8);
        }
    }
}
