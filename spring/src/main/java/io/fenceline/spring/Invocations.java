package io.fenceline.spring;

import io.fenceline.guard.RefusedWriteException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.aopalliance.intercept.MethodInvocation;

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

    /** The guard's refusal, if that is what a transaction manager or Hibernate has wrapped; otherwise the exception. */
    static RuntimeException refusalOr(RuntimeException thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedWriteException refusal) {
                return refusal;
            }
        }
        return thrown;
    }
}
