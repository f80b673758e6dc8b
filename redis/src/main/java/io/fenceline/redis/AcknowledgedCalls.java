package io.fenceline.redis;

import io.fenceline.redis.LettuceStore.Server;
import io.fenceline.redis.LettuceStore.Session;
import io.fenceline.redis.RedisLink.Acknowledged;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Scripts with a WAIT behind them. WAIT holds up whatever comes after it on its connection, so each call has a connection for
 * itself while it runs.
 */
final class AcknowledgedCalls implements AutoCloseable {

    private static final int KEPT = 8;

    private final LettuceStore store;
    private final Queue<Session> idle = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    AcknowledgedCalls(LettuceStore store) {
        this.store = store;
    }

    /** Fails with a {@link java.util.concurrent.TimeoutException} after a while; the connection is given up then. */
    CompletableFuture<Acknowledged> run(
            long limitMillis, Acknowledgement wanted, Script script, String[] keys, String... arguments) {
        Session known = idle.poll();
        CompletionStage<Session> connection =
                known != null ? CompletableFuture.completedFuture(known) : store.connect();
        return connection
                .thenCompose(session -> {
                    CompletableFuture<Server> server = store.server(session, keys[0]);
                    return server.thenCompose(found -> run(found.direct(), wanted, script, keys, arguments))
                            .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                            .whenComplete((answer, failure) -> giveBack(session, failure == null || left(server)));
                })
                .toCompletableFuture();
    }

    private static CompletionStage<Acknowledged> run(
            RedisClusterAsyncCommands<String, String> commands,
            Acknowledgement wanted,
            Script script,
            String[] keys,
            String... arguments) {
        CompletionStage<List<?>> known = commands.evalsha(script.sha(), ScriptOutputType.OBJECT, keys, arguments);
        CompletionStage<Long> replicas = replicas(commands, wanted);
        return known.thenCombine(replicas, Acknowledged::new)
                .handle((answer, failure) -> {
                    if (isUnknown(failure)) {
                        CompletionStage<List<?>> told =
                                commands.eval(script.text(), ScriptOutputType.OBJECT, keys, arguments);
                        return told.thenCombine(replicas(commands, wanted), Acknowledged::new);
                    }
                    return failure == null
                            ? CompletableFuture.completedFuture(answer)
                            : CompletableFuture.<Acknowledged>failedFuture(failure);
                })
                .thenCompose(answer -> answer);
    }

    private static CompletionStage<Long> replicas(
            RedisClusterAsyncCommands<String, String> commands, Acknowledgement wanted) {
        return commands.waitForReplication(wanted.replicas(), wanted.timeout().toMillis());
    }

    private static boolean isUnknown(Throwable failure) {
        return failure instanceof RedisNoScriptException
                || (failure instanceof CompletionException && failure.getCause() instanceof RedisNoScriptException);
    }

    /** Disconnects the one node of a cluster that failed, so that the session still serves the others. */
    private static boolean left(CompletableFuture<Server> server) {
        if (!server.isDone() || server.isCompletedExceptionally()) {
            return false;
        }
        Server failed = server.join();
        return !failed.isOnlyOne() && LettuceStore.disconnect(failed.connection());
    }

    private void giveBack(Session session, boolean sound) {
        if (sound && !closed && idle.size() < KEPT) {
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

    /** Closes connections that nobody uses now. */
    void closeIdle() {
        for (Session session = idle.poll(); session != null; session = idle.poll()) {
            var unused = session.close();
        }
    }
}
