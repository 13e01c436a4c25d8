package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Policy;
import dev.weir.RateLimiter;
import org.junit.jupiter.api.Test;

/** A rate limiter decides exactly as {@code consume} does, on the same budgets, on any fast path. */
public abstract class LimiterContract extends ContractPart {
    /** A limiter with the store timeout of all other tests. */
    private RateLimiter limiter(String name, Policy policy) {
        return RateLimiter.on(store(), name, policy, TIMEOUT);
    }

    @Test
    void limiterAndConsume_onOneKey_shareItsBudget() {
        for (Policy policy : everyPolicy()) {
            long tenth = tenth(policy);
            Key key = Key.of(policy.toString(), "a");
            RateLimiter limiter = limiter(policy.toString(), policy);
            KeyLimiter one = limiter.forKey("a");
            assertThat(limiter.tryConsume("a", 2 * tenth)).isTrue();
            assertThat(one.tryConsume(3 * tenth)).isTrue();
            assertAdmitted(consume(key, policy, 4 * tenth), tenth);
            assertThat(one.tryConsume(tenth + 1)).isFalse();
            assertThat(limiter.tryConsume("a", tenth + 1)).isFalse();
            assertThat(one.tryConsume(Long.MAX_VALUE)).isFalse();
            assertThat(limiter.tryConsume("a", tenth)).isTrue();
            assertThat(one.tryConsume()).isFalse();
            limiter.reset("a");
            assertThat(one.tryConsume(policy.capacity())).isTrue();
            assertThat(remaining(key, policy)).as("%s", policy).isZero();
        }
    }

    @Test
    void limiter_ofAClosedLimit_neverAdmits() {
        RateLimiter limiter = limiter("closed", Policy.closed());
        assertThat(limiter.tryConsume("a")).isFalse();
        assertThat(limiter.forKey("a").tryConsume()).isFalse();
    }

    /** A limiter for one key caches the entry's location; the table is resized as other keys are added. */
    @Test
    void keyLimiter_whileManyOtherKeysCome_findsItsKeyAgain() {
        for (Policy policy : everyPolicy()) {
            RateLimiter limiter = limiter(policy.toString(), policy);
            KeyLimiter one = limiter.forKey("one");
            int admitted = 0;
            int between = 100 / contract().thinning();
            for (int i = 0; i < 15 * between; i++) {
                limiter.tryConsume("crowd " + i);
                if (i % between == 0) {
                    admitted += one.tryConsume(tenth(policy)) ? 1 : 0;
                }
            }
            assertThat(admitted).as("%s", policy).isEqualTo(10);
        }
    }

    @Test
    void keyLimiter_afterAPolicyChange_keepsWhatWasSpent() {
        Policy other = FixedWindow.of(20, DAY);
        for (Policy policy : everyPolicy()) {
            KeyLimiter one = limiter(policy.toString(), policy).forKey("a");
            KeyLimiter changed = limiter(policy.toString(), other).forKey("a");
            assertThat(one.tryConsume(4)).isTrue();
            assertThat(changed.tryConsume(16)).isTrue();
            assertThat(changed.tryConsume()).isFalse();
            assertThat(remaining(Key.of(policy.toString(), "a"), policy))
                    .as("%s", policy)
                    .isEqualTo(Math.max(0, policy.capacity() - 20));
        }
    }
}
