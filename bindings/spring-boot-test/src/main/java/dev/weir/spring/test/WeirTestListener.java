package dev.weir.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Resets every budget before each test method. */
final class WeirTestListener extends AbstractTestExecutionListener {
    /** After the injection of beans, before the test's own set-up. */
    private static final int ORDER = 2_500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(TestBackend.class).ifAvailable(TestBackend::reset);
        }
    }
}
