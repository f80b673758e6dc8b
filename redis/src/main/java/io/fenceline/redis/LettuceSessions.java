package io.fenceline.redis;

import io.fenceline.redis.LettuceStore.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/** The connection for commands, and the next one where it could not be made or fell silent. */
final class LettuceSessions {

    private final LettuceStore store;
    private final ReentrantLock changing = new ReentrantLock();

    /** Written under the lock. */
    private volatile CompletableFuture<Session> current;

    private boolean closed;

    LettuceSessions(LettuceStore store) {
        this.store = store;
        this.current = connect();
    }

    /** The connection, or one that is being made. */
    CompletableFuture<Session> current() {
        CompletableFuture<Session> now = current;
        return now.isCompletedExceptionally() ? replaced(now) : now;
    }

    /** Puts another in the place of a connection that gives no answers. What was under way on it fails. */
    void replace(Session silent) {
        CompletableFuture<Session> now = current;
        if (now.isDone() && !now.isCompletedExceptionally() && silent.equals(now.join())) {
            var unused = replaced(now);
        }
    }

    /** Closes the connection and answers when that is done. */
    CompletableFuture<?> close() {
        changing.lock();
        try {
            closed = true;
            return discard(current);
        } finally {
            changing.unlock();
        }
    }

    /** Whoever comes first connects. */
    private CompletableFuture<Session> replaced(CompletableFuture<Session> old) {
        changing.lock();
        try {
            if (current == old && !closed) {
                current = connect();
                var unused = discard(old);
            }
            return current;
        } finally {
            changing.unlock();
        }
    }

    private CompletableFuture<Session> connect() {
        try {
            return store.connect().toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<?> discard(CompletableFuture<Session> connection) {
        return connection.thenCompose(Session::close);
    }
}
