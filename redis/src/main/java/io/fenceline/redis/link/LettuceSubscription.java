package io.fenceline.redis.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The pub/sub connection. When it ends, Lettuce reconnects and subscribes again; messages may then have been lost. */
final class LettuceSubscription {

    private static final System.Logger LOG = System.getLogger(LettuceSubscription.class.getName());

    /** The pause after a refusal by the server. It may last until an administrator acts, and each try makes a connection. */
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LettuceStore store;
    private final long timeoutMillis;
    private final ReentrantLock changing = new ReentrantLock();

    /** Guarded by the lock. */
    private @Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>> connection;

    private boolean closed;

    /** The end of the pause, by {@link System#nanoTime}. Null if the server has never refused. */
    private volatile @Nullable Long pauseEndNanos;

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
            if (closed || isPausing() || (connection != null && !connection.isCompletedExceptionally())) {
                return null;
            }
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> fresh = connect(channel, listener);
            connection = fresh;
            return fresh;
        } finally {
            changing.unlock();
        }
    }

    private boolean isPausing() {
        Long end = pauseEndNanos;
        return end != null && end - System.nanoTime() > 0;
    }

    /** Pauses if the server has refused the channel and will do so again. */
    private void failed(String channel, Throwable cause) {
        if (cause instanceof RedisCommandExecutionException refusal
                && !store.errors()
                        .ofReply(String.valueOf(refusal.getMessage()), refusal)
                        .code()
                        .isTransient()) {
            if (pauseEndNanos == null) {
                LOG.log(
                        Level.WARNING,
                        "waiters are not notified and poll, since the subscription to ''{0}'' is refused: {1}",
                        channel,
                        refusal.getMessage());
            }
            pauseEndNanos = System.nanoTime() + PAUSE_NANOS;
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
                    failed(channel, refused);
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
