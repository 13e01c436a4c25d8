package dev.weir.testkit.contract;

import dev.weir.testkit.Ability;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** Skips a test because the store has declared a capability missing. A skip for any other reason fails. */
final class DeclaredSkip extends TestAbortedException {
    private static final long serialVersionUID = 1L;

    DeclaredSkip(Ability missing) {
        super("the store has declared that it lacks " + missing);
    }

    /** Turns an undeclared assumption failure into a test failure. */
    static final class Guard implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {
        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
            throw checked(context, thrown);
        }

        @Override
        public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable thrown)
                throws Throwable {
            throw checked(context, thrown);
        }

        private static Throwable checked(ExtensionContext context, Throwable thrown) {
            if (thrown instanceof TestAbortedException && !(thrown instanceof DeclaredSkip)) {
                return new AssertionError(
                        context.getDisplayName() + " was skipped, and its store has not declared why", thrown);
            }
            return thrown;
        }
    }
}
