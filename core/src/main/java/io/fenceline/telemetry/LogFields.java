package io.fenceline.telemetry;

import io.fenceline.FenceStamp;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Sets the log fields {@value #KEY} and {@value #TOKEN} while a thread works under a lease: in the body of {@link
 * io.fenceline.Locks#run} and in {@code onElected} as a listener of the locks, elsewhere between {@link #open} and its close.
 * The earlier values are restored afterwards.
 *
 * <p>The key is formatted by a {@link KeyView}. Fields are thread-local: work on another thread opens them there.
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
     * @param context the target of the fields
     * @param keys formats lock keys
     * @return a listener for {@link io.fenceline.LocksBuilder#listener}
     */
    public static LogFields in(LogContext context, KeyView keys) {
        return new LogFields(context, keys);
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.BodyBegun begun) {
            Scope scope = new Scope(context, context.get(KEY), context.get(TOKEN));
            open.get().push(scope); // first: BodyEnded closes it whatever the next step throws
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
     * Sets the fields on the calling thread, for work outside of {@link io.fenceline.Locks#run}.
     *
     * @param stamp the lease's key and token
     * @return closed by the same thread; restores the earlier values
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

    /** Set fields and their earlier values. */
    public static final class Scope implements AutoCloseable {

        private final LogContext context;
        private final @Nullable String key;
        private final @Nullable String token;

        private Scope(LogContext context, @Nullable String key, @Nullable String token) {
            this.context = context;
            this.key = key;
            this.token = token;
        }

        /** Restores the earlier values. */
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
