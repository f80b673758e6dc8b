package io.fenceline.spring;

import io.fenceline.Lease;
import io.fenceline.LockCall;
import io.fenceline.LockKey;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;

/** Runs {@link Locked} methods under their locks. */
final class LockedInterceptor implements MethodInterceptor {

    private final BeanFactory beans;
    private final Function<Method, LockedMethod> methods;
    private final Function<LockedMethod, LockTemplate> templates;

    LockedInterceptor(
            BeanFactory beans, Function<Method, LockedMethod> methods, Function<LockedMethod, LockTemplate> templates) {
        this.beans = beans;
        this.methods = methods;
        this.templates = templates;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Invocations.target(invocation);
        LockedMethod method =
                methods.apply(AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target)));
        String key = method.key(target, invocation.getArguments(), beans);
        List<String> resources = method.resources(key, target, invocation.getArguments(), beans);
        LockTemplate template = templates.apply(method);
        boolean[] begun = new boolean[1];
        try {
            if (method.returnsStage()) {
                return untilComplete(invocation, template, key, method, resources);
            }
            LockCall<@Nullable Object, Exception> body = lease -> {
                begun[0] = true;
                Object result = Invocations.proceed(invocation);
                LockedMethods.checkEnded(method.method(), Locked.class, result);
                return result;
            };
            return template.call(key, method.options(), resources, body);
        } catch (LockTimeoutException e) {
            if (begun[0] || !method.isSkipped()) {
                throw e;
            }
            return method.method().getReturnType() == Optional.class ? Optional.empty() : null;
        } catch (InterruptedException e) {
            throw begun[0] ? e : Invocations.interrupted(invocation, e, "lock '" + key + "'");
        } catch (RuntimeException e) {
            throw Invocations.refusalOr(e);
        }
    }

    /** Runs a method whose work ends later, on whatever thread, and releases then. */
    private static CompletionStage<?> untilComplete(
            MethodInvocation invocation, LockTemplate template, String key, LockedMethod method, List<String> resources)
            throws Exception {
        Locks locks = template.locks();
        if (CallerTransaction.isActive()) {
            CallerTransaction.allow(InTransaction.REFUSE, "lock '" + key + "'");
        }
        if (FenceScope.held(locks, LockKey.of(key)).isPresent()) {
            throw new IllegalStateException("this thread holds lock '" + key + "' already, and "
                    + LockedMethods.nameOf(method.method())
                    + " could work on when that call has released it: call it outside of the lock");
        }
        Lease lease = locks.acquire(key, method.options());
        CompletionStage<?> stage;
        try (FenceScope scope = FenceScope.open(locks, lease, resources)) {
            template.begin(scope);
            stage = (CompletionStage<?>) Invocations.proceed(invocation);
        } catch (Throwable e) {
            lease.close();
            throw e;
        }
        if (stage == null) {
            lease.close();
            throw new IllegalStateException(LockedMethods.nameOf(method.method()) + " returned null for a stage");
        }
        return stage.whenComplete((result, error) -> {
            try (lease) {
                if (error == null) {
                    lease.ensureHeld();
                }
            }
        });
    }
}
