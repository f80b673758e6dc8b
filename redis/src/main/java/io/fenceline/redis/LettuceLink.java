package io.fenceline.redis;

import io.fenceline.Effect;
import io.fenceline.redis.LettuceStore.Session;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lettuce: one connection for the commands of all threads, one for messages.
 *
 * <p>A connection that ends is made anew by Lettuce. One that is open and silent is not, so a command without an answer makes
 * us put another connection in its place.
 */
final class LettuceLink implements RedisLink {

    private final LettuceStore store;
    private final long timeoutMillis;
    private final Complaints complaints;
    private final LettuceErrors errors;
    private final LettuceSessions sessions;
    private final LettuceMessages messages;
    private final AcknowledgedCalls acknowledgedCalls;
    private final AtomicBoolean closed = new AtomicBoolean();

    private LettuceLink(LettuceStore store, Duration timeout) {
        this.store = store;
        this.timeoutMillis = timeout.toMillis();
        this.complaints = new Complaints(store.where());
        this.errors = new LettuceErrors(complaints, timeoutMillis);
        this.sessions = new LettuceSessions(store);
        this.messages = new LettuceMessages(store, timeoutMillis);
        this.acknowledgedCalls = new AcknowledgedCalls(store);
    }

    /** Connects, so that a wrong address fails here. */
    static LettuceLink open(LettuceStore store, Duration timeout) {
        LettuceLink link = new LettuceLink(store, timeout);
        boolean opened = false;
        try {
            link.session();
            opened = true;
            return link;
        } finally {
            if (!opened) {
                link.close();
            }
        }
    }

    @Override
    public List<?> run(Script script, String[] keys, String... arguments) {
        Session session = session();
        awaitReady(store.ready(session, keys[0]));
        return run(session, session.commands(), script, keys, arguments);
    }

    /** Runs a script by its name, or by its text on a server that does not know it yet. */
    List<?> run(
            Session session,
            RedisClusterAsyncCommands<String, String> commands,
            Script script,
            String[] keys,
            String... arguments) {
        Effect effect = script.changes() ? Effect.UNKNOWN : Effect.NONE;
        try {
            return answer(session, effect, commands.evalsha(script.sha(), ScriptOutputType.OBJECT, keys, arguments));
        } catch (RedisNoScriptException unknownThere) {
            return answer(session, effect, commands.eval(script.text(), ScriptOutputType.OBJECT, keys, arguments));
        }
    }

    @Override
    public Acknowledged runAcknowledged(Acknowledgement wanted, Script script, String[] keys, String... arguments) {
        ensureOpen();
        long millis = timeoutMillis + wanted.timeout().toMillis();
        try {
            return Answer.await(acknowledgedCalls.run(millis, wanted, script, keys, arguments), millis + timeoutMillis);
        } catch (TimeoutException e) {
            throw complaints.noAnswer(Effect.UNKNOWN, millis, e);
        } catch (ExecutionException e) {
            throw causeOf(e) instanceof TimeoutException
                    ? complaints.noAnswer(Effect.UNKNOWN, millis, e)
                    : failed(Effect.UNKNOWN, e);
        }
    }

    @Override
    public boolean countsListeners() {
        return store.countsListeners();
    }

    @Override
    public void listen(String channel, Listener listener) {
        messages.listen(channel, listener);
    }

    @Override
    public boolean isListening() {
        return messages.isListening();
    }

    @Override
    public List<Node> masters() {
        Session session = session();
        List<Node> nodes = new ArrayList<>();
        try {
            store.masters(session)
                    .forEach((name, commands) -> nodes.add(new LettuceNode(name, this, session, commands)));
        } catch (RuntimeException e) {
            throw errors.told(Effect.NONE, e);
        }
        return nodes;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        acknowledgedCalls.close();
        // One after the other: Lettuce complains of a connection that is closed twice.
        var unused = CompletableFuture.allOf(messages.close(), sessions.close())
                .whenComplete((done, failure) -> store.shutdown());
    }

    /** Waits for the answer of a command on a session's connection. */
    <T> T answer(Session session, Effect effect, CompletionStage<T> command) {
        try {
            return Answer.await(command.toCompletableFuture(), timeoutMillis);
        } catch (TimeoutException e) {
            sessions.replace(session);
            throw complaints.noAnswer(effect, timeoutMillis, e);
        } catch (ExecutionException e) {
            throw failed(effect, e);
        }
    }

    private Session session() {
        ensureOpen();
        try {
            return Answer.await(sessions.current(), timeoutMillis);
        } catch (TimeoutException e) {
            throw complaints.noAnswer(Effect.NONE, timeoutMillis, e);
        } catch (ExecutionException e) {
            ensureOpen();
            throw errors.unreached(causeOf(e));
        }
    }

    private void awaitReady(CompletableFuture<?> ready) {
        if (!ready.isDone()) {
            try {
                Answer.await(ready, timeoutMillis);
            } catch (TimeoutException e) {
                throw complaints.noAnswer(Effect.NONE, timeoutMillis, e);
            } catch (ExecutionException e) {
                throw errors.unreached(causeOf(e));
            }
        }
    }

    private RuntimeException failed(Effect effect, ExecutionException e) {
        Throwable cause = causeOf(e);
        if (cause instanceof RedisNoScriptException unknown) {
            return unknown;
        }
        return closed.get() ? complaints.closed(effect) : errors.told(effect, cause);
    }

    private void ensureOpen() {
        if (closed.get()) {
            throw complaints.closed(Effect.NONE);
        }
    }

    private static Throwable causeOf(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
