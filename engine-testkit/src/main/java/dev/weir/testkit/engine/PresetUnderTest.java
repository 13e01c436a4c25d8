package dev.weir.testkit.engine;

import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.testkit.history.StoreOnFakeClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A preset on a store whose clock the test controls. */
final class PresetUnderTest implements AutoCloseable {
    /** Longer than any store needs on a slow machine: timeouts are the subject of other tests. */
    static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(1);

    static final WeirOptions PATIENT =
            WeirOptions.defaults().withGuard(GuardOptions.defaults().withDeadline(ANSWER_TIMEOUT));

    final StoreOnFakeClock trial;
    final Weir weir;

    @SuppressWarnings("NullAway") // of an environment in which nothing is set
    PresetUnderTest(String preset, StoreOnFakeClock trial) {
        this.trial = trial;
        this.weir = Weir.of(
                new ConfigurationReader(name -> null).preset(preset).orThrow(),
                trial.store(),
                new InMemorySettings(),
                PATIENT.withClock(trial::wall));
    }

    /** Attributes from alternating names and values. */
    static Map<String, String> attributes(String... namesAndValues) {
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            attributes.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return attributes;
    }

    Outcome check(String... namesAndValues) {
        return weir.check(attributes(namesAndValues));
    }

    /** The number of allowed requests among this many equal ones. */
    int allowed(int requests, String... namesAndValues) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += check(namesAndValues).allowed() ? 1 : 0;
        }
        return allowed;
    }

    @Override
    public void close() {
        weir.close();
        trial.close();
    }
}
