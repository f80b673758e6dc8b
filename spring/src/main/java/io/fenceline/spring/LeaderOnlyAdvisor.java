package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.election.Leadership;
import io.fenceline.election.NotLeaderException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Applies {@link LeaderOnly} to the beans of an application, outside of {@link LockedAdvisor}, on the terms of which it is a bean. */
@SuppressWarnings("serial") // see LockedAdvisor
public final class LeaderOnlyAdvisor extends AbstractPointcutAdvisor implements SmartInitializingSingleton {

    private final transient SingletonSupplier<LockTemplate> template;
    private final transient Map<Method, ElectionLifecycle> elections = new ConcurrentHashMap<>();
    private final transient ConfigurableListableBeanFactory beans;

    /**
     * Creates the advisor.
     *
     * @param order of {@link LockedAdvisor}; this one is next, outside of it
     * @param beans the application's, among them a {@link LockTemplate}, which is created at the first use
     */
    public LeaderOnlyAdvisor(int order, ConfigurableListableBeanFactory beans) {
        this.beans = requireNonNull(beans, "beans");
        this.template = SingletonSupplier.of(() -> beans.getBean(LockTemplate.class));
        setOrder(order - 1);
    }

    private ElectionLifecycle electionOf(Method method) {
        return elections.computeIfAbsent(method, key -> {
            LeaderOnly annotation = LockedMethods.annotation(method, LeaderOnly.class);
            String group = LockedAdvisor.resolve(beans, annotation.value());
            LockedMethods.checkShape(method, LeaderOnly.class, annotation.otherwise());
            return beans.getBeanProvider(ElectionLifecycle.class).stream()
                    .filter(election -> election.group().equals(group))
                    .findFirst()
                    .orElseThrow(() -> LockedMethods.refuse(
                            method,
                            LeaderOnly.class,
                            "there is no election of group '" + group
                                    + "'; add an ElectionLifecycle bean, or with Spring"
                                    + " Boot the property fenceline.elections[" + group + "].enabled=true"));
        });
    }

    @Override
    public void afterSingletonsInstantiated() {
        AnnotatedBeans.check(beans, LeaderOnly.class, this, this::electionOf);
    }

    @Override
    public Pointcut getPointcut() {
        return new AnnotationMatchingPointcut(null, LeaderOnly.class, true);
    }

    @Override
    public Advice getAdvice() {
        return (MethodInterceptor) this::invoke;
    }

    private @Nullable Object invoke(MethodInvocation invocation) throws Exception {
        Method method = AopUtils.getMostSpecificMethod(
                invocation.getMethod(), AopUtils.getTargetClass(Invocations.target(invocation)));
        Optional<FenceStamp> term = electionOf(method).leadership().flatMap(Leadership::current);
        if (term.isEmpty()) {
            if (LockedMethods.annotation(method, LeaderOnly.class).otherwise() == OnUnavailable.THROW) {
                throw new NotLeaderException();
            }
            return method.getReturnType() == Optional.class ? Optional.empty() : null;
        }
        if (CallerTransaction.isActive() && !FenceScope.isInForce(term.get())) {
            CallerTransaction.allow(template.obtain().inTransaction(), "the work of a leader");
        }
        try (FenceScope scope = scopeOf(term.get())) {
            template.obtain().begin(scope);
            Object result = proceed(invocation);
            LockedMethods.checkEnded(method, LeaderOnly.class, result);
            return result;
        }
    }

    private static FenceScope scopeOf(FenceStamp term) {
        return FenceScope.ofStamp(term, List.of(term.key().value()));
    }

    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return Invocations.proceed(invocation);
        } catch (RuntimeException e) {
            throw Invocations.refusalOr(e);
        }
    }
}
