package io.fenceline.telemetry;

import io.fenceline.FenceStamp;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Sets the log fields {@value #KEY} and {@value #TOKEN} while a thread works under a lease: in the body of {@link
 * io.fenceline.Locks#run} and in {@code onElected} as a listener of the locks, elsewhere between {@link #open} and its close.
 * What the fields held before is put back afterwards.
 *
 * <p>The key is shown as a {@link KeyView} says. Fields belong to a thread: work that is handed to another thread opens them
 * there.
 */
public final class LogFields implements LockListener {

    /** The field with the lock key. */
    public static final String KEY = "lock.key";

    /** The field with the fencing token, 15 digits. */
    public static final String TOKEN = "lock.token";

    private final LogContext context;
    private final KeyView keys;
    private final ThreadLocal<Deque<Scope>> open = ThreadLocal.withInitial(ArrayDeque::new);

    private LogFields(LogContext context, KeyView keys) {
        this.context = context;
        this.keys = keys;
    }

    /**
     * Returns log fields.
     *
     * @param context where the fields are set
     * @param keys how lock keys are shown
     * @return a listener for {@link io.fenceline.LocksBuilder#listener}
     */
    public static LogFields in(LogContext context, KeyView keys) {
        return new LogFields(context, keys);
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.BodyBegun begun) {
            Scope scope = new Scope(context, context.get(KEY), context.get(TOKEN));
            open.get().push(scope); // first: its end closes it whatever the next step throws
            set(begun.stamp());
        } else if (event instanceof LockEvent.BodyEnded) {
            Deque<Scope> scopes = open.get();
            scopes.pop().close();
            if (scopes.isEmpty()) {
                open.remove();
            }
        }
    }

    /**
     * Sets the fields for the calling thread, for leases that are not the engine's to run.
     *
     * @param stamp the lease's key and token
     * @return closed by the same thread; puts back what was there before
     */
    public Scope open(FenceStamp stamp) {
        Scope scope = new Scope(context, context.get(KEY), context.get(TOKEN));
        set(stamp);
        return scope;
    }

    private void set(FenceStamp stamp) {
        context.put(KEY, keys.of(stamp.key().value()));
        context.put(TOKEN, stamp.token().text());
    }

    /** Fields that are set, and what they held before. */
    public static final class Scope implements AutoCloseable {

        private final LogContext context;
        private final @Nullable String key;
        private final @Nullable String token;

        private Scope(LogContext context, @Nullable String key, @Nullable String token) {
            this.context = context;
            this.key = key;
            this.token = token;
        }

        /** Puts back what the fields held before. */
        @Override
        public void close() {
            restore(KEY, key);
            restore(TOKEN, token);
        }

        private void restore(String name, @Nullable String value) {
            if (value == null) {
                context.remove(name);
            } else {
                context.put(name, value);
            }
        }
    }
}
