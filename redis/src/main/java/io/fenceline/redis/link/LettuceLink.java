package io.fenceline.redis.link;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.redis.link.LettuceStore.Server;
import io.fenceline.redis.link.LettuceStore.Session;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Redis through Lettuce: one connection for the commands of all threads (in a cluster one for each node), and one for pub/sub.
 *
 * <p>Lettuce reconnects a connection that ends. A connection that is open and useless is discarded here: after a command without a
 * reply within the command timeout, and after an error that only a replica returns, since the address may lead to another server by
 * now. In a cluster only the connection to that node is discarded. A caller with a shorter timeout discards nothing: its command may
 * still be in flight, and later commands must stay behind it.
 *
 * <p>Also replaced, but for those to the nodes of a cluster, is a connection that Lettuce has not restored yet: Lettuce tries again in
 * silence, and only a new connection tells why the server refuses it, for instance that the password was changed.
 */
public final class LettuceLink implements RedisLink {

    /** The first connection may ask several Sentinels or nodes, and one of them may not answer. */
    private static final int OPENING_STEPS = 3;

    /** Lettuce closes one in some 150 connections too soon. */
    private static final int CONNECTIONS_ENDED_AT_ONCE = 3;

    private final LettuceStore store;
    private final long timeoutMillis;
    private final RedisErrors errors;
    private final LettuceConnections connections;
    private final LettuceSubscription subscription;
    private final AcknowledgedCalls acknowledgedCalls;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Those on the latest connection. */
    private volatile @Nullable SharedCalls sharedCalls;

    private LettuceLink(LettuceStore store, Duration timeout) {
        this.store = store;
        this.timeoutMillis = timeout.toMillis();
        this.errors = store.errors();
        this.connections = new LettuceConnections(store);
        this.subscription = new LettuceSubscription(store, timeoutMillis);
        this.acknowledgedCalls = new AcknowledgedCalls(store);
    }

    /** Connects, so that a wrong address fails here. May take a few command timeouts. */
    public static LettuceLink open(LettuceStore store, Duration timeout) {
        LettuceLink link = new LettuceLink(store, timeout);
        boolean opened = false;
        try {
            link.session(ReplyDeadline.none(), OPENING_STEPS * timeout.toMillis());
            link.refuseOtherModes();
            opened = true;
            return link;
        } catch (BackendException e) {
            throw e.code().isTransient() && store.repliesWithoutTls(link.timeoutMillis) ? link.errors.noTls(e) : e;
        } finally {
            if (!opened) {
                link.close();
            }
        }
    }

    @Override
    public List<?> run(ReplyDeadline deadline, RedisScript script, String[] keys, String... arguments) {
        Session session = session(deadline);
        Server server = ready(deadline, store.server(session, keys[0]), errors);
        return run(deadline, server, script, keys, arguments);
    }

    /** {@inheritDoc} In a cluster the keys are on several servers, so each call goes by itself. */
    @Override
    public List<?> run(ReplyDeadline deadline, ScriptBatch batch, RedisScript script, String key, String... arguments) {
        String[] keys = {key};
        if (store.isCluster()) {
            return run(deadline, script, keys, arguments);
        }
        Server server = ready(deadline, store.server(session(deadline), key), errors);
        try {
            return answer(
                    deadline, server, Effect.UNKNOWN, shared(server, batch).run(script, key, arguments));
        } catch (RedisNoScriptException unknownThere) {
            return runText(deadline, server, Effect.UNKNOWN, script, keys, arguments);
        }
    }

    private SharedCalls shared(Server server, ScriptBatch batch) {
        SharedCalls known = sharedCalls;
        if (known == null || !known.isFor(server.connection(), batch)) {
            known = new SharedCalls(server.connection(), batch);
            sharedCalls = known;
        }
        return known;
    }

    /** Runs a script by its SHA, or by its text on a server that does not have it yet. */
    public List<?> run(ReplyDeadline deadline, Server server, RedisScript script, String[] keys, String... arguments) {
        Effect effect = script.changes() ? Effect.UNKNOWN : Effect.NONE;
        try {
            CompletionStage<List<?>> answer =
                    server.commands().evalsha(script.sha(), ScriptOutputType.OBJECT, keys, arguments);
            return answer(deadline, server, effect, answer);
        } catch (RedisNoScriptException unknownThere) {
            return runText(deadline, server, effect, script, keys, arguments);
        }
    }

    private List<?> runText(
            ReplyDeadline deadline,
            Server server,
            Effect effect,
            RedisScript script,
            String[] keys,
            String... arguments) {
        CompletionStage<List<?>> answer =
                server.commands().eval(script.text(), ScriptOutputType.OBJECT, keys, arguments);
        return answer(deadline, server, effect, answer);
    }

    @Override
    public CompletionStage<?> send(RedisScript script, String[] keys, String... arguments) {
        return connections
                .current()
                .thenCompose(session -> store.server(session, keys[0]))
                .thenCompose(server -> send(server, script, keys, arguments))
                .orTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    /** Sends the text of a script, which works also on a server that does not have it yet. */
    private CompletionStage<?> send(Server server, RedisScript script, String[] keys, String... arguments) {
        CompletableFuture<Object> answer = server.commands()
                .eval(script.text(), ScriptOutputType.OBJECT, keys, arguments)
                .toCompletableFuture();
        discardIfSilent(server, answer, TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
        return answer.whenComplete((value, failure) -> discardIfUseless(server, failure));
    }

    @Override
    public Acknowledged runAcknowledged(
            ReplyDeadline deadline,
            int replicas,
            Duration wait,
            RedisScript script,
            String[] keys,
            String... arguments) {
        ensureOpen();
        long millis = timeoutMillis + wait.toMillis();
        long timeoutNanos = deadline.nanosLeft(millis + timeoutMillis);
        try {
            return Futures.await(acknowledgedCalls.run(millis, replicas, wait, script, keys, arguments), timeoutNanos);
        } catch (TimeoutException e) {
            throw errors.timedOut(Effect.UNKNOWN, millisOf(timeoutNanos), e);
        } catch (ExecutionException e) {
            Throwable cause = Futures.causeOf(e);
            if (LettuceErrors.isOfReplica(cause)) {
                acknowledgedCalls.closeIdle();
                subscription.reconnect();
            }
            throw cause instanceof TimeoutException
                    ? errors.timedOut(Effect.UNKNOWN, millis, e)
                    : failed(errors, Effect.UNKNOWN, e);
        }
    }

    @Override
    public boolean isCluster() {
        return store.isCluster();
    }

    @Override
    public void listen(ReplyDeadline deadline, String channel, Listener listener) {
        subscription.listen(deadline, channel, listener);
    }

    @Override
    public boolean isListening() {
        return subscription.isListening();
    }

    @Override
    public List<Node> masters() {
        Session session = session(ReplyDeadline.none());
        List<Node> nodes = new ArrayList<>();
        store.masters(session).forEach((name, server) -> nodes.add(new LettuceNode(name, this, server)));
        return nodes;
    }

    /** A node of a cluster has a part of the keys only, and a Sentinel none. */
    private void refuseOtherModes() {
        if (store.isCluster()) {
            return;
        }
        for (Node node : masters()) {
            Map<String, String> info = infoOf(node);
            if (info.getOrDefault("cluster_enabled", "0").equals("1")) {
                throw errors.nodeOfCluster(null);
            } else if (info.getOrDefault("redis_mode", "").equals("sentinel")) {
                throw errors.sentinel();
            }
        }
    }

    private static Map<String, String> infoOf(Node node) {
        try {
            return node.info();
        } catch (BackendException notTold) {
            return Map.of();
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        acknowledgedCalls.close();
        // Close each once: Lettuce logs a warning for a connection that is closed twice.
        var unused = CompletableFuture.allOf(subscription.close(), connections.close())
                .whenComplete((done, failure) -> store.shutdown());
    }

    /** Waits for the reply of a command. */
    public <T> T answer(ReplyDeadline deadline, Server server, Effect effect, CompletionStage<T> command) {
        CompletableFuture<T> answer = command.toCompletableFuture();
        long timeoutNanos = deadline.nanosLeft(timeoutMillis);
        try {
            return Futures.await(answer, timeoutNanos);
        } catch (TimeoutException e) {
            discardIfSilent(server, answer, TimeUnit.MILLISECONDS.toNanos(timeoutMillis) - timeoutNanos);
            throw server.errors().timedOut(effect, millisOf(timeoutNanos), e);
        } catch (ExecutionException e) {
            discardIfUseless(server, Futures.causeOf(e));
            throw failed(server.errors(), effect, e);
        }
    }

    private void discardIfUseless(Server server, @Nullable Throwable failure) {
        if (failure != null && LettuceErrors.isOfReplica(failure)) {
            discard(server);
            subscription.reconnect();
        } else if (failure != null && server.isOnlyOne() && LettuceErrors.isNotConnected(failure)) {
            connections.replace(server.session());
        }
    }

    /** Discards the connection if no reply has come at the end of the command timeout. */
    private void discardIfSilent(Server server, CompletableFuture<?> answer, long nanosLeft) {
        ScheduledExecutorService timer = server.connection().getResources().eventExecutorGroup();
        if (nanosLeft <= 0) {
            discard(server);
        } else if (!timer.isShutdown()) { // by close(), which discards it too
            var unused = timer.schedule(() -> discardUnlessAnswered(server, answer), nanosLeft, TimeUnit.NANOSECONDS);
        }
    }

    private void discardUnlessAnswered(Server server, CompletableFuture<?> answer) {
        if (!answer.isDone()) {
            discard(server);
        }
    }

    /** Reconnects to one server. */
    private void discard(Server server) {
        if (server.isOnlyOne() || !LettuceStore.disconnect(server.connection())) {
            connections.replace(server.session());
        }
    }

    private Session session(ReplyDeadline deadline) {
        return session(deadline, timeoutMillis);
    }

    /** Connects again where the connection ended at once: Lettuce may close it before it tells that the server refused the password. */
    private Session session(ReplyDeadline deadline, long limitMillis) {
        for (int attempt = 1; ; attempt++) {
            try {
                return connected(deadline, limitMillis);
            } catch (BackendException e) {
                if (attempt == CONNECTIONS_ENDED_AT_ONCE || !LettuceErrors.wasEndedAtOnce(e)) {
                    throw e;
                }
            }
        }
    }

    private Session connected(ReplyDeadline deadline, long limitMillis) {
        ensureOpen();
        long timeoutNanos = deadline.nanosLeft(limitMillis);
        try {
            return Futures.await(connections.current(), timeoutNanos);
        } catch (TimeoutException e) {
            throw errors.timedOut(Effect.NONE, millisOf(timeoutNanos), e);
        } catch (ExecutionException e) {
            ensureOpen();
            throw new LettuceErrors(errors, timeoutMillis).connectFailed(Futures.causeOf(e));
        }
    }

    /** Waits for the connection to a server; the errors name it. */
    Server ready(String name, CompletableFuture<Server> server) {
        return ready(ReplyDeadline.none(), server, new RedisErrors(name, store.isCluster()));
    }

    private Server ready(ReplyDeadline deadline, CompletableFuture<Server> server, RedisErrors errorsThere) {
        long timeoutNanos = deadline.nanosLeft(timeoutMillis);
        try {
            return Futures.await(server, timeoutNanos);
        } catch (TimeoutException e) {
            throw errorsThere.timedOut(Effect.NONE, millisOf(timeoutNanos), e);
        } catch (ExecutionException e) {
            throw new LettuceErrors(errorsThere, timeoutMillis).connectFailed(Futures.causeOf(e));
        }
    }

    private RuntimeException failed(RedisErrors errorsThere, Effect effect, ExecutionException e) {
        Throwable cause = Futures.causeOf(e);
        if (cause instanceof RedisNoScriptException unknown) {
            return unknown;
        }
        return closed.get()
                ? errors.closed(effect)
                : new LettuceErrors(errorsThere, timeoutMillis).failure(effect, cause);
    }

    private void ensureOpen() {
        if (closed.get()) {
            throw errors.closed(Effect.NONE);
        }
    }

    private static long millisOf(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
