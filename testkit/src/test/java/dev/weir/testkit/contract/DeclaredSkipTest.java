package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Ability;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/** A store cannot pass by skipping its tests. */
class DeclaredSkipTest {
    private final DeclaredSkip.Guard guard = new DeclaredSkip.Guard();
    private final ExtensionContext context = (ExtensionContext) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {ExtensionContext.class}, (proxy, method, args) -> "a test");

    @Test
    void skip_thatNobodyDeclared_fails() {
        TestAbortedException skip = new TestAbortedException("assumption failed");
        assertThatThrownBy(() -> guard.handleTestExecutionException(context, skip))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a test was skipped")
                .hasCause(skip);
        assertThatThrownBy(() -> guard.handleBeforeEachMethodExecutionException(context, skip))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void skip_thatIsDeclared_staysASkip() {
        DeclaredSkip skip = new DeclaredSkip(Ability.SWEEP);
        assertThatThrownBy(() -> guard.handleTestExecutionException(context, skip))
                .isSameAs(skip);
    }

    @Test
    void failure_staysAFailure() {
        AssertionError failure = new AssertionError("wrong");
        assertThatThrownBy(() -> guard.handleTestExecutionException(context, failure))
                .isSameAs(failure);
    }
}
