package dev.weir.spring.method;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Puts the advice around every bean that has a limited method, before any other: what is refused begins no transaction. It
 * needs no other proxying in the application.
 */
final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    private final transient Set<Method> found = ConcurrentHashMap.newKeySet();

    RateLimitedPostProcessor(RateLimitedInterceptor interceptor, boolean proxiesClasses) {
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(proxiesClasses);
        this.advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> type) {
                        boolean isLimited = MethodLimits.isLimited(method);
                        if (isLimited) {
                            found.add(method);
                        }
                        return isLimited;
                    }
                },
                interceptor);
    }

    /** Calls back with each limited method that a bean has. */
    void forEach(Consumer<Method> action) {
        found.forEach(action);
    }
}
