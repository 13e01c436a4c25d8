package dev.weir.spring.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Provides the store and the clock to the application of a test with {@link WeirTest}. */
final class WeirTestCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        // Also finds the annotation on the enclosing class.
        return TestContextAnnotationUtils.hasAnnotation(testClass, WeirTest.class) ? new Customizer() : null;
    }

    /** Equal to every other instance, so that tests with the annotation share application contexts. */
    private record Customizer() implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            TestBackend backend = new TestBackend();
            ConfigurableListableBeanFactory beans = context.getBeanFactory();
            beans.registerSingleton("weirTestBackend", backend);
            beans.registerSingleton("weirTestStore", backend.backend());
            beans.registerSingleton("weirTestClock", backend.clock);
        }
    }
}
