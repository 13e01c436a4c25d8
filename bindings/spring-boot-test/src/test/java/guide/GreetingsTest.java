package guide;

import static dev.weir.spring.test.OutcomeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.engine.Weir;
import dev.weir.spring.RateLimitedException;
import dev.weir.spring.test.WeirTest;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@WeirTest
@SpringBootTest
class GreetingsTest {
    @Autowired
    Greetings greetings;

    @Autowired
    Weir weir;

    @Autowired
    FakeClock clock;

    @Test
    void fourthGreeting_withinAnHour_isRefused() {
        for (int i = 0; i < 3; i++) {
            assertThat(greetings.hello("ann")).isEqualTo("Hello, ann");
        }
        assertThatExceptionOfType(RateLimitedException.class).isThrownBy(() -> greetings.hello("ann"));

        clock.advance(Duration.ofHours(1));

        assertThat(greetings.hello("ann")).isEqualTo("Hello, ann");
    }

    @Test
    void otherTests_leaveNothingSpent() {
        assertThat(weir.check(Map.of("channel", "call", "name", "ann")))
                .isAllowed()
                .hasRemaining("greetings", 2);
    }
}
