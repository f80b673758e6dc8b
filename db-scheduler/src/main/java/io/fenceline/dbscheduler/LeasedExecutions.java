package io.fenceline.dbscheduler;

import static java.util.Objects.requireNonNull;

import com.github.kagkarlsson.scheduler.event.ExecutionChain;
import com.github.kagkarlsson.scheduler.event.ExecutionInterceptor;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;

/**
 * Runs each execution of db-scheduler under a lease. A scheduler that takes a slow execution for dead starts it again beside the first;
 * under a lease, one of them waits, and a guard refuses what the first one writes after it lost its lease.
 *
 * <pre>{@code
 * Scheduler.create(dataSource, task)
 *         .addExecutionInterceptor(LeasedExecutions.over(locks, LockOptions.defaults().withInterruptOnLoss()))
 * …
 * (instance, context) -> guard.write("report", LeasedExecutions.lease(context).stamp(), work)  // in the task
 * }</pre>
 *
 * <p>The lock key is {@code TASK/INSTANCE}. If the lock is not free within the wait of the options, or the store fails, or the lease is lost,
 * the execution fails with the exception of {@link Locks#call(String, LockOptions, io.fenceline.LockCall)}, and the task's failure handler
 * decides. Thread-safe.
 */
public final class LeasedExecutions implements ExecutionInterceptor {

    private final Locks locks;
    private final LockOptions options;

    private LeasedExecutions(Locks locks, LockOptions options) {
        this.locks = locks;
        this.options = options;
    }

    /**
     * Returns an interceptor.
     *
     * @param locks takes the locks; the caller closes it after the scheduler has stopped
     * @param options options of each execution's lock
     * @return the interceptor
     */
    public static LeasedExecutions over(Locks locks, LockOptions options) {
        return new LeasedExecutions(requireNonNull(locks, "locks"), requireNonNull(options, "options"));
    }

    /**
     * Returns the lease of an execution, for its stamp.
     *
     * @param context what the task was called with
     * @return the lease
     * @throws IllegalStateException if the scheduler does not have this interceptor, or a later one replaced the context
     */
    public static Lease lease(ExecutionContext context) {
        if (requireNonNull(context, "context") instanceof LeasedContext leased) {
            return leased.lease;
        }
        throw new IllegalStateException("the execution of " + context.getExecution() + " has no lease; add "
                + LeasedExecutions.class.getSimpleName() + " to the scheduler's interceptors");
    }

    @Override
    public CompletionHandler<?> execute(
            TaskInstance<?> taskInstance, ExecutionContext executionContext, ExecutionChain chain) {
        String key = taskInstance.getTaskName() + "/" + taskInstance.getId();
        try {
            return locks.call(
                    key, options, lease -> chain.proceed(taskInstance, new LeasedContext(executionContext, lease)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for lock '" + key + "'", e);
        }
    }

    private static final class LeasedContext extends ExecutionContext {

        private final Lease lease;

        LeasedContext(ExecutionContext context, Lease lease) {
            super(
                    context.getSchedulerState(),
                    context.getExecution(),
                    context.getSchedulerClient(),
                    context.getCurrentlyExecuting());
            this.lease = lease;
        }
    }
}
