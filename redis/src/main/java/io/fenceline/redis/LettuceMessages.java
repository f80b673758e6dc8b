package io.fenceline.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The connection for messages. Lettuce makes it anew when it ends and subscribes again; then messages may have been lost. */
final class LettuceMessages {

    private final LettuceStore store;
    private final long timeoutMillis;
    private final ReentrantLock changing = new ReentrantLock();

    /** Guarded by the lock. */
    private @Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>> connection;

    private boolean closed;

    private volatile boolean listening;

    LettuceMessages(LettuceStore store, long timeoutMillis) {
        this.store = store;
        this.timeoutMillis = timeoutMillis;
    }

    boolean isListening() {
        return listening;
    }

    /** Begins to listen, unless that was done; whoever begins waits until it is confirmed. */
    void listen(Deadline deadline, String channel, RedisLink.Listener listener) {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> fresh = begin(channel, listener, confirmed);
        if (fresh != null) {
            try {
                Answer.await(fresh.thenCompose(made -> confirmed), deadline.nanosLeft(timeoutMillis));
            } catch (ExecutionException | TimeoutException notYet) {
                // isListening tells
            }
        }
    }

    /** Has the connection made anew, and subscribes again. */
    void reconnect() {
        changing.lock();
        try {
            if (!closed && connection != null && connection.isDone() && !connection.isCompletedExceptionally()) {
                LettuceStore.disconnect(connection.join());
            }
        } finally {
            changing.unlock();
        }
    }

    /** Closes the connection and answers when that is done. */
    CompletableFuture<?> close() {
        changing.lock();
        try {
            closed = true;
            listening = false;
            return connection == null
                    ? CompletableFuture.completedFuture(null)
                    : connection.thenCompose(made -> made.closeAsync());
        } finally {
            changing.unlock();
        }
    }

    private @Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>> begin(
            String channel, RedisLink.Listener listener, CompletableFuture<Void> confirmed) {
        changing.lock();
        try {
            if (closed || (connection != null && !connection.isCompletedExceptionally())) {
                return null;
            }
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> fresh =
                    connect(channel, listener, confirmed).toCompletableFuture();
            connection = fresh;
            return fresh;
        } finally {
            changing.unlock();
        }
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> connect(
            String channel, RedisLink.Listener listener, CompletableFuture<Void> confirmed) {
        return store.connectForMessages().thenApply(made -> {
            made.addListener(new RedisConnectionStateListener() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
                    listening = false;
                }
            });
            made.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String from, String text) {
                    listener.message(text);
                }

                @Override
                public void subscribed(String to, long count) {
                    listening = true;
                    listener.resumed();
                    confirmed.complete(null);
                }
            });
            var unused = made.async().subscribe(channel).whenComplete((done, refused) -> {
                if (refused != null) {
                    confirmed.completeExceptionally(refused);
                }
            });
            return made;
        });
    }
}
