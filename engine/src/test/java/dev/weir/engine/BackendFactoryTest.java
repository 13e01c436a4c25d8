package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Store URIs that no module on the class path supports. */
class BackendFactoryTest {
    private static String refusal(String uri) {
        return assertThatIllegalArgumentException()
                .isThrownBy(() -> Weir.open(
                        PresetEngine.configuration("limits: []"),
                        WeirOptions.defaults().withStore(uri)))
                .actual()
                .getMessage();
    }

    @ParameterizedTest
    @CsvSource({
        "reds://:hunter2@localhost, reds:…, redis://",
        "redis+cluster://hunter2, redis+cluster:…, redis-cluster://",
        "jdbc:postgres://localhost/x?password=hunter2, jdbc:postgres:…, jdbc:postgresql:",
        "memroy, memroy, memory",
    })
    void schemeThatIsMisspelt_isToldWithTheNearest_andWithAll(String uri, String shown, String meant) {
        assertThat(refusal(uri))
                .startsWith("the store '" + shown + "' is of no known kind; did you mean '" + meant
                        + "'? Choose one of memory,")
                .contains("redis://, rediss://, redis-cluster://", "durable-objects+https://")
                .doesNotContain("hunter2");
    }

    @Test
    void schemeLikeNoOther_isToldWithAll() {
        assertThat(refusal("mongodb://hunter2@localhost"))
                .startsWith("the store 'mongodb:…' is of no known kind; choose one of memory, redis://")
                .doesNotContain("hunter2", "did you mean");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://:hunter2@localhost, weir-store-redis",
        "redis-sentinel://localhost/m, weir-store-redis",
        "jdbc:postgresql://localhost/x, weir-store-jdbc",
        "cluster://a, weir-store-cluster",
        "durable-objects+https://x, weir-store-durable-objects",
    })
    void moduleThatIsNotThere_isNamed(String uri, String module) {
        assertThat(refusal(uri))
                .contains("add the Maven artifact dev.weir:" + module + " to the class path")
                .doesNotContain("hunter2");
    }

    @Test
    void everyKindOfTheConfiguration_hasItsModule() {
        for (Map.Entry<String, String> kind : BackendFactory.MODULES.entrySet()) {
            String store = kind.getKey() + "x";
            assertThat(PresetEngine.configuration("limits: []\nstore: '" + store + "'")
                            .store())
                    .isEqualTo(store);
        }
        assertThat(BackendFactory.MODULES).hasSize(9);
    }
}
