package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ArgumentException;
import org.junit.jupiter.api.Test;

class ProblemTest {
    @Test
    void argument_namesItsField_howeverItIsWorded() {
        Problem problem = Problem.caused(new ArgumentException("ttl", "this lasts too long"));

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.field()).isEqualTo("ttl");
        assertThat(problem.detail()).isEqualTo("this lasts too long");
    }

    @Test
    void message_isNotReadForAField() {
        assertThat(Problem.caused(new IllegalArgumentException("cost is out of the question"))
                        .field())
                .isNull();
        assertThat(Problem.caused(new IllegalArgumentException("attribute 'user' is a word"))
                        .field())
                .isNull();
    }
}
