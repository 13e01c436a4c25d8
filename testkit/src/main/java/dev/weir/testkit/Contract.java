package dev.weir.testkit;

import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a test of a store says about it, whichever part of the contract that store has to pass. */
@ExtendWith({DeclaredSkip.Guard.class, ContractPart.Enclosing.class})
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class Contract {

    /** A new, empty store, apart from all others, and the hand on its clock. */
    protected abstract StoreUnderTest newStore();

    /** What the store lacks. The tests that need it are skipped; any other test that is skipped fails. */
    protected Set<Ability> missing() {
        return Set.of();
    }

    /** By how much less often tests ask that only ask again and again; a store whose calls are slow takes up to 10. */
    protected int thinning() {
        return 1;
    }
}
