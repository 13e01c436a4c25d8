package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ArgumentException;
import org.junit.jupiter.api.Test;

class ProblemExceptionTest {
    @Test
    void argument_namesItsField_howeverItIsWorded() {
        ProblemException problem = ProblemException.caused(new ArgumentException("ttl", "this lasts too long"));

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.field()).isEqualTo("ttl");
        assertThat(problem.detail()).isEqualTo("this lasts too long");
    }

    @Test
    void message_isNotReadForAField() {
        assertThat(ProblemException.caused(new IllegalArgumentException("cost is out of the question"))
                        .field())
                .isNull();
        assertThat(ProblemException.caused(new IllegalArgumentException("attribute 'user' is a word"))
                        .field())
                .isNull();
    }
}
