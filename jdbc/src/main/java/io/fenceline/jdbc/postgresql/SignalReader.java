package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.ListenConnectionSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Listens on a connection of its own, and connects again when that is lost. One thread; nobody else touches the connection.
 */
final class SignalReader implements Runnable {

    private static final Logger LOGGER = System.getLogger(SignalReader.class.getName());
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final PostgresSignals signals;
    private final ListenConnectionSource line;
    private Duration pause = SHORTEST_PAUSE;

    SignalReader(PostgresSignals signals, ListenConnectionSource line) {
        this.signals = signals;
        this.line = line;
    }

    @Override
    public void run() {
        try {
            while (signals.awaitWork()) {
                try (SignalConnection connection = SignalConnection.open(line)) {
                    signals.connected(connection.number());
                    read(connection);
                } catch (SQLException e) {
                    LOGGER.log(Level.DEBUG, "the connection for signals was lost; waiters poll meanwhile", e);
                    signals.pause(pause);
                    pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
                } finally {
                    signals.deaf();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            signals.readerEnded();
        }
    }

    private void read(SignalConnection connection) throws SQLException, InterruptedException {
        while (signals.awaitWork()) {
            List<SignalId> wanted = signals.wanted(connection.room());
            if (!wanted.isEmpty()) {
                connection.listen(wanted);
                pause = SHORTEST_PAUSE;
                wanted.forEach(id -> signals.listens(id.channel()));
            }
            List<SignalId> unused = signals.dropUnused(SignalConnection.BATCH);
            if (!unused.isEmpty()) {
                connection.unlisten(unused);
            }
            boolean more = Math.max(wanted.size(), unused.size()) == SignalConnection.BATCH;
            for (String channel : connection.await(more)) {
                signals.hear(channel);
            }
        }
    }
}
