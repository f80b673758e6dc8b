package io.fenceline.redis.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The pub/sub connection. When it ends, Lettuce reconnects and subscribes again; messages may then have been lost. */
final class LettuceSubscription {

    private final LettuceStore store;
    private final long timeoutMillis;
    private final ReentrantLock changing = new ReentrantLock();

    /** Guarded by the lock. */
    private @Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>> connection;

    private boolean closed;

    /** The connection with a confirmed subscription, if any. */
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> active;

    LettuceSubscription(LettuceStore store, long timeoutMillis) {
        this.store = store;
        this.timeoutMillis = timeoutMillis;
    }

    boolean isListening() {
        return active != null;
    }

    /** Subscribes unless done already, and waits for the confirmation. */
    void listen(ReplyDeadline deadline, String channel, RedisLink.Listener listener) {
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> fresh = begin(channel, listener);
        if (fresh != null) {
            try {
                Futures.await(fresh, deadline.nanosLeft(timeoutMillis));
            } catch (ExecutionException | TimeoutException notYet) {
                // the caller checks isListening
            }
        }
    }

    /** Reconnects and subscribes again. */
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

    /** Closes the connection; completes when that is done. */
    CompletableFuture<?> close() {
        changing.lock();
        try {
            closed = true;
            active = null;
            return connection == null
                    ? CompletableFuture.completedFuture(null)
                    : connection.thenCompose(made -> made.closeAsync());
        } finally {
            changing.unlock();
        }
    }

    private @Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>> begin(
            String channel, RedisLink.Listener listener) {
        changing.lock();
        try {
            if (closed || (connection != null && !connection.isCompletedExceptionally())) {
                return null;
            }
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> fresh = connect(channel, listener);
            connection = fresh;
            return fresh;
        } finally {
            changing.unlock();
        }
    }

    /** Connects and subscribes. Lettuce renews only confirmed subscriptions, so an unconfirmed connection is closed. */
    private CompletableFuture<StatefulRedisPubSubConnection<String, String>> connect(
            String channel, RedisLink.Listener listener) {
        return store.connectForMessages().toCompletableFuture().thenCompose(made -> {
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> confirmed = new CompletableFuture<>();
            made.addListener(new RedisConnectionStateListener() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
                    if (active == made) {
                        active = null;
                    }
                }
            });
            made.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String from, String text) {
                    listener.message(text);
                }

                @Override
                public void subscribed(String to, long count) {
                    if (!confirmed.isCompletedExceptionally()) {
                        active = made;
                        listener.resumed();
                        confirmed.complete(made);
                    }
                }
            });
            var unused = made.async().subscribe(channel).whenComplete((done, refused) -> {
                if (refused != null) {
                    confirmed.completeExceptionally(refused);
                }
            });
            return confirmed.orTimeout(timeoutMillis, TimeUnit.MILLISECONDS).whenComplete((done, refused) -> {
                if (refused != null) {
                    var unusedEnd = made.closeAsync();
                }
            });
        });
    }
}
