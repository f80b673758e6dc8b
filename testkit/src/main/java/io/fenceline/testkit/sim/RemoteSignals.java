package io.fenceline.testkit.sim;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals;
import java.util.function.Consumer;

/** The server's signals, which the network delays and loses. */
final class RemoteSignals implements ReleaseSignals {

    private final ReleaseSignals onServer;
    private final Network network;

    RemoteSignals(ReleaseSignals onServer, Network network) {
        this.onServer = onServer;
        this.network = network;
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        Listening listening = new Listening(listener);
        Subscription subscription =
                onServer.subscribe(key, waiter, signal -> network.push(() -> listening.tell(signal)));
        return () -> {
            listening.ended = true;
            subscription.close();
        };
    }

    private static final class Listening {
        private final Consumer<Signal> listener;
        private boolean ended;

        Listening(Consumer<Signal> listener) {
            this.listener = listener;
        }

        void tell(Signal signal) {
            if (!ended) {
                listener.accept(signal);
            }
        }
    }
}
