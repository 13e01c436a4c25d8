package dev.weir.spring.method;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Adds the advice to every bean that has a limited method, before any other advice: a refused call begins no
 * transaction. The application needs no other proxying.
 */
final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    private final transient Set<LimitedMethods> found = ConcurrentHashMap.newKeySet();

    RateLimitedPostProcessor(RateLimitedInterceptor interceptor, boolean proxiesClasses) {
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(proxiesClasses);
        this.advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> type) {
                        boolean isLimited = MethodLimits.isLimited(method, type);
                        if (isLimited) {
                            found.add(new LimitedMethods(method, type));
                            addAll(type);
                        }
                        return isLimited;
                    }
                },
                interceptor);
    }

    private record LimitedMethods(Method method, Class<?> type) {}

    /** Adds also methods that a proxy cannot intercept, if their class is limited. */
    private void addAll(Class<?> type) {
        if (MethodLimits.isAnnotated(ClassUtils.getUserClass(type))) {
            ReflectionUtils.doWithMethods(
                    ClassUtils.getUserClass(type),
                    method -> found.add(new LimitedMethods(method, type)),
                    method -> MethodLimits.isLimited(method, type));
        }
    }

    /** Calls the action with each limited method of a bean, and the bean's class. */
    void forEach(BiConsumer<Method, Class<?>> action) {
        found.forEach(each -> action.accept(each.method, each.type));
    }
}
