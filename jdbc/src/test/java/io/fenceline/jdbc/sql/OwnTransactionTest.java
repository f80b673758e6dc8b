package io.fenceline.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction that ends leaves the connection as it was, on a product whose driver ends it and on one where SQL does. */
@Tag("R11")
class OwnTransactionTest {

    private static final String H2 = "jdbc:h2:mem:";
    private static final String SQLITE = "jdbc:sqlite::memory:";

    private final List<Connection> opened = new ArrayList<>();

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : opened) {
            connection.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {H2, SQLITE})
    void endsWithWhatWasCommitted(String url) throws SQLException {
        Connection connection = withTable(url);

        try (OwnTransaction own = OwnTransaction.begin(connection)) {
            insert(connection);
            assertThat(connection.getAutoCommit()).isFalse();
            own.commit();
        }

        assertIdle(connection, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {H2, SQLITE})
    void undoesWhatWasNotCommitted(String url) throws SQLException {
        Connection connection = withTable(url);

        OwnTransaction own = OwnTransaction.begin(connection);
        insert(connection);
        own.close();

        assertIdle(connection, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {H2, SQLITE})
    void aBeginThatFailsLeavesAutoCommitOn(String url) throws SQLException {
        Connection connection = withTable(url);

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> OwnTransaction.begin(failingAfter(connection, "setAutoCommit", false)));

        assertIdle(connection, 0);
    }

    /** To turn it on would commit what was to be undone. */
    @ParameterizedTest
    @CsvSource({H2 + ", rollback", SQLITE + ", createStatement"})
    void aRollbackThatFailsLeavesAutoCommitOff(String url, String call) throws SQLException {
        Connection connection = withTable(url);
        OwnTransaction own = OwnTransaction.begin(failingBefore(connection, call));
        insert(connection);

        assertThatExceptionOfType(SQLException.class).isThrownBy(own::close);

        assertThat(connection.getAutoCommit()).isFalse();
        connection.rollback();
        assertThat(count(connection)).isZero();
    }

    /** The connection is broken, and what was committed is. */
    @ParameterizedTest
    @ValueSource(strings = {H2, SQLITE})
    void aCommitIsNoFailureThoughAutoCommitCannotBeTurnedOn(String url) throws SQLException {
        Connection connection = withTable(url);

        try (OwnTransaction own = OwnTransaction.begin(failingAfter(connection, "setAutoCommit", true))) {
            insert(connection);
            own.commit();
        }

        assertThat(count(connection)).isEqualTo(1);
    }

    @Test
    void leavesAutoCommitOffWhereItWas() throws SQLException {
        Connection connection = withTable(H2);
        connection.setAutoCommit(false);

        try (OwnTransaction own = OwnTransaction.begin(connection)) {
            insert(connection);
            own.commit();
        }

        assertThat(connection.getAutoCommit()).isFalse();
    }

    /** As SQLite's driver leaves it after an error by which SQLite has rolled back by itself. */
    @Test
    void beginsOneWhereTheDriverOnlyThinksThatItHas() throws SQLException {
        Connection connection = withTable(SQLITE);
        connection.setAutoCommit(false);
        new Sql("COMMIT").run(connection);

        OwnTransaction own = OwnTransaction.begin(connection);
        insert(connection);
        own.close();

        assertThat(count(connection)).isZero();
    }

    private Connection withTable(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        opened.add(connection);
        new Sql("CREATE TABLE t (id INTEGER)").run(connection);
        return connection;
    }

    private static void insert(Connection connection) throws SQLException {
        new Sql("INSERT INTO t VALUES (1)").run(connection);
    }

    private static long count(Connection connection) throws SQLException {
        return new Sql("SELECT count(*) FROM t")
                .one(connection, row -> row.getLong(1))
                .orElseThrow();
    }

    /** In auto-commit, and in no transaction, so that another one can begin and be undone. */
    private static void assertIdle(Connection connection, int rows) throws SQLException {
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(count(connection)).isEqualTo(rows);
        OwnTransaction own = OwnTransaction.begin(connection);
        insert(connection);
        own.close();
        assertThat(count(connection)).isEqualTo(rows);
    }

    private static Connection failingBefore(Connection connection, String call) {
        return proxy(connection, (name, argument, real) -> {
            if (name.equals(call)) {
                throw new SQLException("broken");
            }
            return real.run();
        });
    }

    private static Connection failingAfter(Connection connection, String call, boolean value) {
        return proxy(connection, (name, argument, real) -> {
            Object answer = real.run();
            if (name.equals(call) && argument.equals(value)) {
                throw new SQLException("broken");
            }
            return answer;
        });
    }

    private static Connection proxy(Connection connection, Call call) {
        return (Connection) Proxy.newProxyInstance(
                OwnTransactionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> call.on(
                        method.getName(), arguments == null || arguments.length == 0 ? "" : arguments[0], () -> {
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private interface Call {
        Object on(String name, Object argument, Real real) throws Throwable;
    }

    private interface Real {
        Object run() throws Throwable;
    }
}
