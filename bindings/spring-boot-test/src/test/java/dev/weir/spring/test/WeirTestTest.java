package dev.weir.spring.test;

import static dev.weir.spring.test.OutcomeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.engine.Weir;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import dev.weir.spring.RateLimited;
import dev.weir.spring.RateLimitedException;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a remote store is tested in memory, with a clock that the test advances. */
@WeirTest
@SpringBootTest(
        classes = WeirTestTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "weir.store=redis://nowhere.invalid:6379",
            "weir.limits[0].name=greetings",
            "weir.limits[0].per=name",
            "weir.limits[0].rate=3/hour",
            "weir.limits[0].algorithm=fixed-window"
        })
class WeirTestTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Greetings greetings() {
            return new Greetings();
        }
    }

    static class Greetings {
        @RateLimited(value = "greetings", key = "#name")
        public String hello(String name) {
            return "Hello, " + name;
        }
    }

    @Autowired
    private Greetings greetings;

    @Autowired
    private Weir weir;

    @Autowired
    private FakeClock clock;

    @RepeatedTest(2)
    void budgets_areWholeBeforeEachTest_andRefillByTheClock() {
        for (int i = 0; i < 3; i++) {
            assertThat(greetings.hello("ann")).isEqualTo("Hello, ann");
        }
        assertThatExceptionOfType(RateLimitedException.class).isThrownBy(() -> greetings.hello("ann"));

        clock.advance(Duration.ofHours(1));

        assertThat(greetings.hello("ann")).isEqualTo("Hello, ann");
    }

    @Test
    void outcomes_canBeAsserted() {
        Map<String, String> ann = Map.of("name", "ann");
        assertThat(weir.check(ann)).isAllowed().hasRemaining("greetings", 2);
        weir.check(ann);
        weir.check(ann);
        assertThat(weir.check(ann)).isRefusedBy("greetings").fitsAfter(Duration.ofHours(1));

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(weir.check(ann)).isAllowed())
                .withMessageContaining("Expected the request to be allowed");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(weir.check(ann)).isRefusedBy("others"));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(weir.check(ann)).hasRemaining("others", 1))
                .withMessageContaining("Expected the limit 'others' to apply");
    }

    @Nested
    class Inside {
        @Test
        void nestedTests_haveTheSameStoreAndClock() {
            assertThat(weir.check(Map.of("name", "ann"))).hasRemaining("greetings", 2);
            assertThat(weir.store().delegate()).isInstanceOf(TestStore.class);
        }

        @Test
        void nestedTests_beginWithWholeBudgets() {
            assertThat(weir.check(Map.of("name", "ann"))).hasRemaining("greetings", 2);
        }
    }

    @RepeatedTest(2)
    void settings_areEmptyBeforeEachTest() {
        assertThat(weir.settings().exempt().getOrDefault("name", java.util.Set.of()))
                .isEmpty();

        weir.change(new SettingsChange.AddExempt("me", clock.wall(), new Subject("name", "ann")));

        assertThat(weir.check(Map.of("name", "ann")).isUntouched()).isTrue();
    }
}
