package io.fenceline.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Gives the connection of a transaction that runs, as frameworks do for code within a transaction. */
public abstract class BoundDataSource implements DataSource {

    /** For a class that binds in another way. */
    protected BoundDataSource() {}

    /** Returns a data source that gives this connection each time, and lets nobody close it. */
    public static DataSource to(Connection connection) {
        return new BoundDataSource() {
            @Override
            public Connection getConnection() {
                return (Connection) Proxy.newProxyInstance(
                        Connection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, values) -> {
                            if (method.getName().equals("close")) {
                                return null;
                            }
                            try {
                                return method.invoke(connection, values);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }

    /** Returns a data source that gives away which connection it gave last. */
    public static DataSource remembering(DataSource source, AtomicReference<Connection> last) {
        return new BoundDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                last.set(source.getConnection());
                return last.get();
            }
        };
    }

    /** Returns a data source whose connections come with auto-commit off and nothing begun, as those of some pools do. */
    public static DataSource withAutoCommitOff(DataSource source) {
        return new BoundDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = source.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
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
