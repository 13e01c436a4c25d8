package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.envoy.EnvoyVectors.Running;
import dev.weir.server.envoy.EnvoyVectors.Step;
import dev.weir.server.envoy.EnvoyVectors.Vector;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors against the decisions themselves, without a transport. */
class EnvoyVectorsTest {
    static List<Vector> vectors() {
        return EnvoyVectors.all();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void vector_everyStep_hasItsReply(Vector vector) {
        try (Running running = EnvoyVectors.open(vector)) {
            for (int i = 0; i < vector.steps().size(); i++) {
                Step step = vector.steps().get(i);
                running.advanceTo(step);
                RateLimitReply reply = running.decisions().decide(step.query()).await();
                RateLimitReply expected = step.expected();
                assertThat(reply.statuses())
                        .as("step %d: %s", i, step.request())
                        .isEqualTo(expected.statuses());
                assertThat(reply.allowed()).as("step %d: %s", i, step.request()).isEqualTo(expected.allowed());
                assertThat(reply.headers()).as("step %d: %s", i, step.request()).isEqualTo(expected.headers());
            }
        }
    }

    @Test
    void vectors_areAtLeastTwoHundred_withNamesOfTheirOwn() {
        assertThat(vectors())
                .hasSizeGreaterThanOrEqualTo(200)
                .extracting(Vector::name)
                .doesNotHaveDuplicates();
    }
}
