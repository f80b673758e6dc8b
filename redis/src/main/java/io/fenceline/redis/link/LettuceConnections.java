package io.fenceline.redis.link;

import io.fenceline.redis.link.LettuceStore.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/** The connection for commands. Replaces it if connecting failed or the server stopped answering. */
final class LettuceConnections {

    private final LettuceStore store;
    private final ReentrantLock changing = new ReentrantLock();

    /** Written under the lock. */
    private volatile CompletableFuture<Session> current;

    private boolean closed;

    LettuceConnections(LettuceStore store) {
        this.store = store;
        this.current = connect();
    }

    /** Returns the connection, possibly still being made. */
    CompletableFuture<Session> current() {
        CompletableFuture<Session> now = current;
        return now.isCompletedExceptionally() ? replaced(now) : now;
    }

    /** Replaces a connection without replies. Its pending commands fail. */
    void replace(Session silent) {
        CompletableFuture<Session> now = current;
        if (now.isDone() && !now.isCompletedExceptionally() && silent.equals(now.join())) {
            var unused = replaced(now);
        }
    }

    /** Closes the connection; completes when that is done. */
    CompletableFuture<?> close() {
        changing.lock();
        try {
            closed = true;
            return discard(current);
        } finally {
            changing.unlock();
        }
    }

    /** Replaces the connection once, whoever calls first. */
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
