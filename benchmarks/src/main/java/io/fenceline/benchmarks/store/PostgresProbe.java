package io.fenceline.benchmarks.store;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Looks at a PostgreSQL server. */
final class PostgresProbe implements ServerProbe {

    private static final String WAL_BYTES = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn";
    private static final String FSYNCS = "SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'";
    private static final String FSYNCS_BEFORE_18 = "SELECT wal_sync FROM pg_stat_wal";
    private static final String OTHER_CLIENTS =
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    private static final List<String> SETTINGS = List.of(
            "fsync",
            "synchronous_commit",
            "wal_sync_method",
            "full_page_writes",
            "shared_buffers",
            "commit_delay",
            "max_connections");

    private static final int LOOKS = 500;

    private final Connection connection;
    private final long postmaster;
    private final String fsyncs;

    PostgresProbe(StoreAddress address) throws SQLException {
        this.connection = DriverManager.getConnection(address.jdbcUrl());
        this.postmaster = parentOf((long) number("SELECT pg_backend_pid()"));
        this.fsyncs =
                number("SELECT current_setting('server_version_num')::int") >= 180_000 ? FSYNCS : FSYNCS_BEFORE_18;
    }

    @Override
    public ServerUse use() {
        try {
            return new ServerUse(ProcessTime.nanosOfTree(postmaster), number(WAL_BYTES), number(fsyncs));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void awaitQuiet() throws InterruptedException {
        try {
            for (int look = 0; look < LOOKS && number(OTHER_CLIENTS) > 0; look++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String description() {
        List<String> settings = new ArrayList<>();
        try {
            for (String name : SETTINGS) {
                settings.add(name + " " + text("SHOW " + name));
            }
            return "PostgreSQL " + text("SHOW server_version") + " (" + String.join(", ", settings) + ")";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A server of another machine has no process here. */
    private static long parentOf(long backend) {
        try {
            return ProcessTime.parent(backend);
        } catch (IOException elsewhere) {
            return -1;
        }
    }

    private double number(String sql) throws SQLException {
        return Double.parseDouble(text(sql));
    }

    private String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException gone) {
            // so is the connection
        }
    }
}
