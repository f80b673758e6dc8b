package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.ListenConnectionSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The connection that notifications come in on. Leaves nothing behind on it, in case it goes back to a pool. */
final class SignalConnection implements AutoCloseable {

    private static final int LIMIT_MILLIS = 5_000;
    private static final Duration QUIET = Duration.ofSeconds(10);

    /** The server searches all channels of a session for each LISTEN, so very many at once take seconds. */
    static final int BATCH = 500;

    /**
     * Each advisory lock takes a place in the server's table of locks, and sessions fail when that is full. One process takes a
     * sixteenth of it at the most.
     */
    private static final String PROCESS_AND_PLACES = """
            SELECT pg_backend_pid(),
                   current_setting('max_locks_per_transaction')::int
                   * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int) / 16""";

    private final ListenConnectionSource line;
    private final Connection connection;
    private final PGConnection notifications;
    private final boolean autoCommit;
    private final int networkTimeout;
    private final Set<SignalId> listening = new HashSet<>();
    private final int places;
    private long heardAtNanos = System.nanoTime();

    private SignalConnection(ListenConnectionSource line, Connection connection) throws SQLException {
        this.line = line;
        this.connection = connection;
        this.notifications = connection.unwrap(PGConnection.class);
        this.autoCommit = connection.getAutoCommit();
        this.networkTimeout = connection.getNetworkTimeout();
        connection.setAutoCommit(true);
        connection.setNetworkTimeout(Runnable::run, LIMIT_MILLIS);
        this.places = places();
    }

    /** A pooler reports other process numbers to its clients. Locks and channels would stay on its connections. */
    private int places() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(PROCESS_AND_PLACES)) {
            row.next();
            if (row.getInt(1) != number()) {
                throw new SQLException(
                        "the connection goes through a pooler, which delivers signals to another client or to none;"
                                + " switch signals off (signals=off), or give a way past it (JdbcOptions.withSignalsFrom)");
            }
            return row.getInt(2);
        }
    }

    /** Returns how many more channels fit; waiters for further ones poll. */
    int room() {
        return Math.min(BATCH, Math.max(1, places) - listening.size());
    }

    static SignalConnection open(ListenConnectionSource line) throws SQLException {
        Connection connection = line.open();
        try {
            return new SignalConnection(line, connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** What the server knows this connection by. */
    int number() {
        return notifications.getBackendPID();
    }

    /**
     * Listens, and shows that somebody does by the shared locks. Both begin in one transaction, the locks a little earlier: a
     * release in between sends a notification that nobody gets, and has ended before this returns.
     */
    void listen(List<SignalId> ids) throws SQLException {
        run(Stream.concat(
                ids.stream().map(id -> "LISTEN " + id.channel()),
                Stream.concat(
                        Stream.of("SELECT set_config('lock_timeout', '2000', true)"),
                        ids.stream().map(id -> "SELECT pg_advisory_lock_shared(" + id.number() + ")"))));
        listening.addAll(ids);
    }

    void unlisten(List<SignalId> ids) throws SQLException {
        run(ids.stream()
                .flatMap(id -> Stream.of(
                        "UNLISTEN " + id.channel(), "SELECT pg_advisory_unlock_shared(" + id.number() + ")")));
        ids.forEach(listening::remove);
    }

    /** Waits for notifications, but not long, and not at all if there is something else to do; answers the channels they came on. */
    List<String> await(boolean busy) throws SQLException {
        PGNotification[] arrived = busy ? notifications.getNotifications() : waited();
        if (arrived != null && arrived.length > 0) {
            heardAtNanos = System.nanoTime();
            // What a succession of ours sends is for others only.
            String ours = Integer.toString(number());
            return Stream.of(arrived)
                    .filter(notification -> !notification.getParameter().equals(ours))
                    .map(PGNotification::getName)
                    .distinct()
                    .toList();
        }
        if (System.nanoTime() - heardAtNanos > QUIET.toNanos()) {
            // Silence may be that of a dead connection.
            run(Stream.of("SELECT 1"));
        }
        return List.of();
    }

    private PGNotification[] waited() throws SQLException {
        line.reading(true);
        try {
            return notifications.getNotifications((int) line.stretch().toMillis());
        } finally {
            line.reading(false);
        }
    }

    private void run(Stream<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements.collect(Collectors.joining("; ")));
        }
        heardAtNanos = System.nanoTime();
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!connection.isClosed()) {
                unlisten(List.copyOf(listening));
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
                connection.setAutoCommit(autoCommit);
            }
        }
    }
}
