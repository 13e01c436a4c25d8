package dev.weir.testkit.contract;

import dev.weir.testkit.Ability;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The declarations that a store's contract test makes, whichever contract it extends. */
@ExtendWith({DeclaredSkip.Guard.class, ContractPart.Enclosing.class})
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class Contract {

    /** Returns a new, empty store, independent of all others, with control of its clock. */
    protected abstract StoreUnderTest newStore();

    /** The capabilities that the store lacks. Tests that need one are skipped; any other skipped test fails. */
    protected Set<Ability> missing() {
        return Set.of();
    }

    /** Divisor for the number of calls in tests that only repeat a call. A store with slow calls returns up to 10. */
    protected int thinning() {
        return 1;
    }

    /** The number of random histories replayed for each kind. A store with slow calls returns a smaller number. */
    protected int histories() {
        return 200;
    }

    /** How far the clock may be behind; spent units may come back that much early. */
    protected Duration clockMayBeLate() {
        return Duration.ZERO;
    }
}
