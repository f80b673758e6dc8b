package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.Locks;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

/**
 * Applies {@link Locked} to the beans of an application. A bean of an infrastructure role, made by a static method, in a context that
 * has an auto-proxy creator. When all singletons are there it checks every annotated method, and fails the start if one cannot work.
 */
@SuppressWarnings("serial") // an advisor is serialized with a proxy, which nobody does with a bean that locks
public final class LockedAdvisor extends AbstractPointcutAdvisor implements SmartInitializingSingleton {

    /** The default order: outside of transactions, whose advisor is last. */
    public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private final transient SingletonSupplier<LockTemplate> template;
    private final transient Map<Method, LockedMethod> methods = new ConcurrentHashMap<>();
    private final transient ConfigurableListableBeanFactory beans;
    private final transient LockedInterceptor interceptor;

    /**
     * Creates the advisor.
     *
     * @param order its place among the advisors; smaller is further outside, and must stay below that of transactions
     * @param beans the application's, among them a {@link LockTemplate}, which is created at the first use
     * @throws IllegalArgumentException if the order is that of transactions
     */
    public LockedAdvisor(int order, ConfigurableListableBeanFactory beans) {
        if (order == Ordered.LOWEST_PRECEDENCE) {
            throw new IllegalArgumentException(
                    "order is " + order + ", that of transactions: locks must be further outside");
        }
        this.beans = requireNonNull(beans, "beans");
        this.template = SingletonSupplier.of(() -> beans.getBean(LockTemplate.class));
        this.interceptor = new LockedInterceptor(beans, this::methodOf, this::templateOf);
        setOrder(order);
    }

    private LockedMethod methodOf(Method method) {
        return methods.computeIfAbsent(
                method,
                key -> LockedMethod.of(
                        key,
                        text -> resolve(beans, text),
                        templateOf(
                                        key,
                                        LockedMethods.annotation(key, Locked.class)
                                                .locks())
                                .options()));
    }

    static String resolve(ConfigurableListableBeanFactory beans, String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }

    private LockTemplate templateOf(LockedMethod method) {
        return templateOf(method.method(), method.locks());
    }

    private LockTemplate templateOf(Method method, String locks) {
        LockTemplate common = template.obtain();
        try {
            return locks.isEmpty() ? common : common.withLocks(beans.getBean(locks, Locks.class));
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw LockedMethods.refuse(method, Locked.class, "its locks cannot be used: " + e.getMessage());
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        AnnotatedBeans.check(beans, Locked.class, this, method -> {
            LockedMethod locked = methodOf(method);
            templateOf(locked);
            if (locked.namesFences() && !template.obtain().isFenced()) {
                throw LockedMethods.refuse(
                        method, Locked.class, "it names fences, and there are no TransactionFences to enter them");
            }
        });
    }

    @Override
    public Pointcut getPointcut() {
        return new AnnotationMatchingPointcut(null, Locked.class, true);
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }
}
