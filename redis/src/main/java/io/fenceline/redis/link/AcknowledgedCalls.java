package io.fenceline.redis.link;

import io.fenceline.redis.link.LettuceStore.Server;
import io.fenceline.redis.link.LettuceStore.Session;
import io.fenceline.redis.link.RedisLink.Acknowledged;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * LockRuns scripts followed by WAIT. WAIT blocks its connection, so each running call has a connection of its own.
 */
final class AcknowledgedCalls implements AutoCloseable {

    private static final int MAX_IDLE = 8;

    private final LettuceStore store;
    private final Queue<Session> idle = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    AcknowledgedCalls(LettuceStore store) {
        this.store = store;
    }

    /** Fails with a {@link java.util.concurrent.TimeoutException} after the limit, and then closes the connection. */
    CompletableFuture<Acknowledged> run(
            long limitMillis, int replicas, Duration wait, RedisScript script, String[] keys, String... arguments) {
        Session known = idle.poll();
        CompletionStage<Session> connection =
                known != null ? CompletableFuture.completedFuture(known) : store.connect();
        return connection
                .thenCompose(session -> {
                    CompletableFuture<Server> server = store.server(session, keys[0]);
                    return server.thenCompose(found -> run(found.direct(), replicas, wait, script, keys, arguments))
                            .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                            .whenComplete(
                                    (answer, failure) -> giveBack(session, failure == null || disconnected(server)));
                })
                .toCompletableFuture();
    }

    private static CompletionStage<Acknowledged> run(
            RedisClusterAsyncCommands<String, String> commands,
            int replicas,
            Duration wait,
            RedisScript script,
            String[] keys,
            String... arguments) {
        CompletionStage<List<?>> known = commands.evalsha(script.sha(), ScriptOutputType.OBJECT, keys, arguments);
        CompletionStage<Long> acknowledged = acknowledged(commands, replicas, wait);
        return known.thenCombine(acknowledged, Acknowledged::new)
                .handle((answer, failure) -> {
                    if (isUnknown(failure)) {
                        CompletionStage<List<?>> sent =
                                commands.eval(script.text(), ScriptOutputType.OBJECT, keys, arguments);
                        return sent.thenCombine(acknowledged(commands, replicas, wait), Acknowledged::new);
                    }
                    return failure == null
                            ? CompletableFuture.completedFuture(answer)
                            : CompletableFuture.<Acknowledged>failedFuture(failure);
                })
                .thenCompose(answer -> answer);
    }

    private static CompletionStage<Long> acknowledged(
            RedisClusterAsyncCommands<String, String> commands, int replicas, Duration wait) {
        return commands.waitForReplication(replicas, wait.toMillis());
    }

    private static boolean isUnknown(Throwable failure) {
        return failure instanceof RedisNoScriptException
                || (failure instanceof CompletionException && failure.getCause() instanceof RedisNoScriptException);
    }

    /** Disconnects only the cluster node that failed, so that the session still serves the others. */
    private static boolean disconnected(CompletableFuture<Server> server) {
        if (!server.isDone() || server.isCompletedExceptionally()) {
            return false;
        }
        Server failed = server.join();
        return !failed.isOnlyOne() && LettuceStore.disconnect(failed.connection());
    }

    private void giveBack(Session session, boolean sound) {
        if (sound && !closed && idle.size() < MAX_IDLE) {
            idle.add(session);
        } else {
            var unused = session.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        closeIdle();
    }

    /** Closes idle connections. */
    void closeIdle() {
        for (Session session = idle.poll(); session != null; session = idle.poll()) {
            var unused = session.close();
        }
    }
}
