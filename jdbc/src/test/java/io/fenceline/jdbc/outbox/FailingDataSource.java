package io.fenceline.jdbc.outbox;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Gives no connection while it is told not to. */
final class FailingDataSource implements DataSource {

    private final DataSource source;
    private volatile boolean failing;

    FailingDataSource(DataSource source) {
        this.source = source;
    }

    void fail(boolean wanted) {
        failing = wanted;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (failing) {
            throw new SQLNonTransientConnectionException("connection refused", "08001");
        }
        return source.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
