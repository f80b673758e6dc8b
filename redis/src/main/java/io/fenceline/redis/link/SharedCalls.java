package io.fenceline.redis.link;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Calls of scripts on one connection. Those that are made before the driver's thread has written the last command go together in that
 * command. So no call waits for others, one by itself is sent as if there were no others, and the busier the driver, the more calls
 * share a command.
 *
 * <p>A caller queues its call, and hands a command to the driver unless one is on its way to the connection. The command takes what
 * is queued when it is written. Commands are sent in the order of their calls.
 */
final class SharedCalls {

    /** The server does nothing else while it runs these, about a quarter of a millisecond. */
    static final int MAX_CALLS = 32;

    private final StatefulConnection<String, String> connection;
    private final ScriptBatch batch;
    private final Queue<Call> queue = new ConcurrentLinkedQueue<>();

    /** Whether a command is on its way to the connection, and will take calls from the queue or fail them. Who sets it may take calls. */
    private final AtomicBoolean sending = new AtomicBoolean();

    SharedCalls(StatefulConnection<String, String> connection, ScriptBatch batch) {
        this.connection = connection;
        this.batch = batch;
    }

    boolean isFor(StatefulConnection<String, String> other, ScriptBatch others) {
        return connection == other && batch == others;
    }

    /** Sends a call. Its reply completes on a driver thread. */
    CompletableFuture<List<?>> run(RedisScript script, String key, String... arguments) {
        Call call = new Call(script, key, arguments);
        queue.add(call);
        send();
        return call;
    }

    private void send() {
        while (!queue.isEmpty() && sending.compareAndSet(false, true)) {
            Call first = queue.poll();
            if (first != null) {
                dispatch(new Shared(first));
                return;
            }
            sending.set(false); // and look again: a call may have been queued that relied on this one
        }
    }

    private void dispatch(Shared command) {
        AsyncCommand<String, String, List<Object>> sent = new AsyncCommand<>(command);
        sent.onComplete(command::completed);
        try {
            connection.dispatch(sent);
        } catch (RuntimeException e) {
            sent.completeExceptionally(e);
        }
    }

    /** A call that waits for its reply. */
    private static final class Call extends CompletableFuture<List<?>> {

        private final RedisScript script;
        private final String key;
        private final String[] arguments;

        Call(RedisScript script, String key, String... arguments) {
            this.script = script;
            this.key = key;
            this.arguments = arguments;
        }

        void reply(Object reply) {
            if (reply instanceof String error) {
                completeExceptionally(new RedisCommandExecutionException(error));
            } else {
                complete(reply instanceof List<?> list ? list : List.of(reply));
            }
        }
    }

    /** A command. Which calls are in it is decided when the driver writes it, or when it fails before. */
    private final class Shared extends Command<String, String, List<Object>> {

        private final List<Call> calls = new ArrayList<>();
        private boolean decided;

        Shared(Call first) {
            super(CommandType.EVALSHA, new NestedMultiOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8));
            calls.add(first);
        }

        @Override
        public void encode(ByteBuf target) {
            List<Call> all = decide(MAX_CALLS);
            if (all.size() == 1) {
                Call only = all.get(0);
                args.add(only.script.sha()).add(1).addKey(only.key).addValues(only.arguments);
            } else {
                args.add(batch.together().sha()).add(all.size());
                all.forEach(call -> args.addKey(call.key));
                all.forEach(call -> args.addValues(batch.header(call.script, call.arguments))
                        .addValues(call.arguments));
            }
            super.encode(target);
        }

        /** Takes calls from the queue, once. Only then may others, so that the order of the queue is kept. */
        private synchronized List<Call> decide(int most) {
            if (!decided) {
                decided = true;
                Call next = null;
                while (calls.size() < most && (next = queue.poll()) != null) {
                    calls.add(next);
                }
                sending.set(false);
                if (!queue.isEmpty()) { // not on this thread, which would write it into this command
                    connection.getResources().eventExecutorGroup().execute(SharedCalls.this::send);
                }
            }
            return calls;
        }

        /** Passes on replies. A command that was not written fails all that are queued, since they relied on it. */
        void completed(@Nullable List<Object> replies, @Nullable Throwable failure) {
            List<Call> all = decide(Integer.MAX_VALUE);
            if (failure instanceof RedisNoScriptException && all.size() > 1) {
                load();
            }
            for (int i = 0; i < all.size(); i++) {
                if (failure != null) {
                    all.get(i).completeExceptionally(failure);
                } else if (all.size() == 1) {
                    all.get(i).complete(replies);
                } else {
                    all.get(i).reply(requireNonNull(replies).get(i));
                }
            }
        }

        /** The calls are repeated one by one; the next ones can go together. */
        private void load() {
            connection.dispatch(new AsyncCommand<>(new Command<>(
                    CommandType.SCRIPT,
                    new StatusOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8)
                            .add(CommandKeyword.LOAD)
                            .addValue(batch.together().text()))));
        }
    }
}
