package io.fenceline.redis;

import io.fenceline.Effect;
import io.fenceline.redis.LettuceStore.Server;
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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The link to Redis through Lettuce: one connection for the commands of all threads, to each node of a cluster, and one for messages.
 *
 * <p>A connection that ends is made anew by Lettuce. One that is open and useless is not, so it is discarded here: when a command had
 * no answer within the command timeout, and when the server says that it is a replica, since the address may lead to another server
 * by now. In a cluster only the connection to that node is discarded. A caller who waits for less than the command timeout discards
 * nothing: its command may be on its way still, and what is sent next must stay behind it.
 */
final class LettuceLink implements RedisLink {

    /** Sentinels and nodes are asked before the first connection, and one of them may be silent. */
    private static final int OPENING_STEPS = 3;

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

    /** Connects, so that a wrong address fails here. May take a few times as long as a command. */
    static LettuceLink open(LettuceStore store, Duration timeout) {
        LettuceLink link = new LettuceLink(store, timeout);
        boolean opened = false;
        try {
            link.session(Deadline.none(), OPENING_STEPS * link.timeoutMillis);
            opened = true;
            return link;
        } finally {
            if (!opened) {
                link.close();
            }
        }
    }

    @Override
    public List<?> run(Deadline deadline, Script script, String[] keys, String... arguments) {
        Session session = session(deadline);
        Server server = ready(deadline, store.server(session, keys[0]));
        return run(deadline, server, script, keys, arguments);
    }

    /** Runs a script by its name, or by its text on a server that does not know it yet. */
    List<?> run(Deadline deadline, Server server, Script script, String[] keys, String... arguments) {
        Effect effect = script.changes() ? Effect.UNKNOWN : Effect.NONE;
        RedisClusterAsyncCommands<String, String> commands = server.commands();
        try {
            return answer(
                    deadline, server, effect, commands.evalsha(script.sha(), ScriptOutputType.OBJECT, keys, arguments));
        } catch (RedisNoScriptException unknownThere) {
            return answer(
                    deadline, server, effect, commands.eval(script.text(), ScriptOutputType.OBJECT, keys, arguments));
        }
    }

    @Override
    public CompletionStage<?> send(Script script, String[] keys, String... arguments) {
        return sessions.current()
                .thenCompose(session -> store.server(session, keys[0]))
                .thenCompose(server -> send(server, script, keys, arguments))
                .orTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    /** Sends the text of a script: a server that does not know its name would have to be asked again. */
    private CompletionStage<?> send(Server server, Script script, String[] keys, String... arguments) {
        CompletableFuture<Object> answer = server.commands()
                .eval(script.text(), ScriptOutputType.OBJECT, keys, arguments)
                .toCompletableFuture();
        discardIfSilent(server, answer, TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
        return answer.whenComplete((value, failure) -> discardIfReplica(server, failure));
    }

    @Override
    public Acknowledged runAcknowledged(
            Deadline deadline, Acknowledgement wanted, Script script, String[] keys, String... arguments) {
        ensureOpen();
        long millis = timeoutMillis + wanted.timeout().toMillis();
        long patienceNanos = deadline.nanosLeft(millis + timeoutMillis);
        try {
            return Answer.await(acknowledgedCalls.run(millis, wanted, script, keys, arguments), patienceNanos);
        } catch (TimeoutException e) {
            throw complaints.noAnswer(Effect.UNKNOWN, millisOf(patienceNanos), e);
        } catch (ExecutionException e) {
            Throwable cause = causeOf(e);
            if (LettuceErrors.isOfReplica(cause)) {
                acknowledgedCalls.closeIdle();
                messages.reconnect();
            }
            throw cause instanceof TimeoutException
                    ? complaints.noAnswer(Effect.UNKNOWN, millis, e)
                    : failed(Effect.UNKNOWN, e);
        }
    }

    @Override
    public boolean countsListeners() {
        return store.countsListeners();
    }

    @Override
    public void listen(Deadline deadline, String channel, Listener listener) {
        messages.listen(deadline, channel, listener);
    }

    @Override
    public boolean isListening() {
        return messages.isListening();
    }

    @Override
    public List<Node> masters() {
        Session session = session(Deadline.none());
        List<Node> nodes = new ArrayList<>();
        try {
            store.masters(session).forEach((name, server) -> nodes.add(new LettuceNode(name, this, server)));
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

    /** Waits for the answer of a command that was sent to a server. */
    <T> T answer(Deadline deadline, Server server, Effect effect, CompletionStage<T> command) {
        CompletableFuture<T> answer = command.toCompletableFuture();
        long patienceNanos = deadline.nanosLeft(timeoutMillis);
        try {
            return Answer.await(answer, patienceNanos);
        } catch (TimeoutException e) {
            discardIfSilent(server, answer, TimeUnit.MILLISECONDS.toNanos(timeoutMillis) - patienceNanos);
            throw complaints.noAnswer(effect, millisOf(patienceNanos), e);
        } catch (ExecutionException e) {
            discardIfReplica(server, causeOf(e));
            throw failed(effect, e);
        }
    }

    private void discardIfReplica(Server server, @Nullable Throwable failure) {
        if (failure != null && LettuceErrors.isOfReplica(failure)) {
            discard(server);
            messages.reconnect();
        }
    }

    /** Discards a connection on which no reply came within the command timeout, once that is over. */
    private void discardIfSilent(Server server, CompletableFuture<?> answer, long nanosLeft) {
        if (nanosLeft <= 0) {
            discard(server);
        } else {
            ScheduledExecutorService timer = server.connection().getResources().eventExecutorGroup();
            var unused = timer.schedule(() -> discardUnlessAnswered(server, answer), nanosLeft, TimeUnit.NANOSECONDS);
        }
    }

    private void discardUnlessAnswered(Server server, CompletableFuture<?> answer) {
        if (!answer.isDone()) {
            discard(server);
        }
    }

    /** Replaces the connection to one server. */
    private void discard(Server server) {
        if (server.isOnlyOne() || !LettuceStore.disconnect(server.connection())) {
            sessions.replace(server.session());
        }
    }

    private Session session(Deadline deadline) {
        return session(deadline, timeoutMillis);
    }

    private Session session(Deadline deadline, long limitMillis) {
        ensureOpen();
        long patienceNanos = deadline.nanosLeft(limitMillis);
        try {
            return Answer.await(sessions.current(), patienceNanos);
        } catch (TimeoutException e) {
            throw complaints.noAnswer(Effect.NONE, millisOf(patienceNanos), e);
        } catch (ExecutionException e) {
            ensureOpen();
            throw errors.unreached(causeOf(e));
        }
    }

    private Server ready(Deadline deadline, CompletableFuture<Server> server) {
        long patienceNanos = deadline.nanosLeft(timeoutMillis);
        try {
            return Answer.await(server, patienceNanos);
        } catch (TimeoutException e) {
            throw complaints.noAnswer(Effect.NONE, millisOf(patienceNanos), e);
        } catch (ExecutionException e) {
            throw errors.unreached(causeOf(e));
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

    private static long millisOf(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static Throwable causeOf(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
