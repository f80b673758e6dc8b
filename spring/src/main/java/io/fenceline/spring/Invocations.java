package io.fenceline.spring;

import io.fenceline.guard.RefusedWriteException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.core.NestedRuntimeException;

/** Steps that all interceptors share. */
final class Invocations {

    private Invocations() {}

    static Object target(MethodInvocation invocation) {
        Object target = invocation.getThis();
        if (target == null) {
            throw new IllegalStateException(
                    LockedMethods.nameOf(invocation.getMethod()) + " has no bean behind its proxy");
        }
        return target;
    }

    @SuppressWarnings("NullAway") // null is a result; NullAway does not see nullable type arguments of lambdas
    static Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }

    /** The interrupt of a wait, as the method may throw it; the thread keeps its interrupt status otherwise. */
    static Exception interrupted(MethodInvocation invocation, InterruptedException e, String what) {
        boolean declared = Arrays.stream(invocation.getMethod().getExceptionTypes())
                .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
        if (declared) {
            return e;
        }
        Thread.currentThread().interrupt();
        CancellationException cancelled = new CancellationException("interrupted in the wait for " + what);
        cancelled.initCause(e);
        return cancelled;
    }

    /** The guard's refusal, if transaction managers, Spring or JPA have wrapped it; otherwise the exception, as an application's own. */
    static RuntimeException refusalOr(RuntimeException thrown) {
        Throwable cause = thrown;
        while (cause != null && isWrapper(cause)) {
            cause = cause.getCause();
        }
        return cause instanceof RefusedWriteException refusal ? refusal : thrown;
    }

    private static boolean isWrapper(Throwable thrown) {
        return thrown instanceof NestedRuntimeException
                || thrown.getClass().getName().startsWith("jakarta.persistence.")
                || thrown.getClass().getName().startsWith("org.hibernate.");
    }
}
