package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FencingToken;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import io.fenceline.jdbc.trigger.StampedWrites;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteDataSource;

/** How guards leave the connections of SQLite, whose driver begins and ends transactions by a flag of its own. */
class SqliteConnectionsTest extends TransactionPlace {

    @Override
    GuardPlace newPlace() {
        return new SqlitePlace();
    }

    /**
     * With {@code transaction_mode=IMMEDIATE} on a busy file each call of SQLite's driver that ends a transaction can fail after that, and so can
     * the one that turns auto-commit on.
     */
    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback"})
    @Tag("R11")
    void asksTheDriverForNothingThatBeginsTheNextTransaction(String call) throws SQLException {
        AtomicInteger bodies = new AtomicInteger();
        try (Connection connection = place.source().getConnection()) {
            JdbcFenceGuard own = JdbcFenceGuard.on(BoundDataSource.to(refusing(connection, call)), place.options());

            own.call(RESOURCE, stamp(34), body -> insert.run(body, bodies.incrementAndGet(), "once"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> own.call(RESOURCE, stamp(34), body -> {
                        insert.run(body, 2, "undone");
                        throw new IllegalStateException("the body's");
                    }))
                    .withMessage("the body's");

            assertThat(connection.getAutoCommit()).isTrue();
        }
        assertThat(bodies).hasValue(1);
        assertThat(number("SELECT count(*) FROM lines")).isEqualTo(1);
    }

    private static Connection refusing(Connection connection, String call) {
        return (Connection) Proxy.newProxyInstance(
                SqliteGuardedTransactionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(call)) {
                        throw new SQLException("[SQLITE_BUSY] The database file is locked", null, 5);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** To commit wants the file alone there, also where nothing was written. */
    @ParameterizedTest
    @EnumSource(Act.class)
    @Tag("R11")
    void leavesAPoolsConnectionInOrderThoughAReaderKeepsItFromCommitting(Act act) throws SQLException {
        try (SqlitePlace busy = new SqlitePlace(JournalMode.DELETE, 1);
                HikariDataSource pool = new HikariDataSource()) {
            ((SQLiteDataSource) busy.source()).setTransactionMode("IMMEDIATE");
            pool.setDataSource(busy.source());
            pool.setMaximumPoolSize(1);
            GuardOptions options = busy.options().withRetries(1);
            JdbcFenceGuard.on(busy.source(), options).schema().installSchema();
            busy.execute("CREATE TABLE fenced (id INTEGER PRIMARY KEY, last_fence INTEGER, note TEXT)");
            busy.execute("INSERT INTO fenced (id, note) VALUES (1, 'before'), (2, 'before')");
            ((SQLiteDataSource) busy.source()).setEnforceForeignKeys(true);
            try (Connection connection = busy.source().getConnection()) {
                GuardedTables.install(connection, GuardedTable.of("fenced", "id"), options.table());
            }
            try (Connection other = busy.source().getConnection();
                    Statement reading = other.createStatement();
                    ResultSet rows = reading.executeQuery("SELECT id FROM fenced")) {
                rows.next();
                assertThatExceptionOfType(Exception.class).isThrownBy(() -> act.run(pool, options));
            }

            assertThatCommitsByItself(pool);
            act.run(pool, options);
        }
    }

    /** What ends a transaction of its own. */
    private enum Act {
        WRITE((pool, options) -> JdbcFenceGuard.on(pool, options)
                .write(RESOURCE, stamp(34), new Sql("UPDATE fenced SET note = 'x'")::run)),
        CLAIM((pool, options) -> JdbcFenceGuard.on(pool, options).claim(RESOURCE, stamp(34))),
        UPDATE((pool, options) -> {
            try (Connection connection = pool.getConnection()) {
                FencedTable.of("fenced", "id", "last_fence").update(connection, 1, stamp(34), Columns.set("note", "x"));
            }
        }),
        STAMPED((pool, options) ->
                StampedWrites.on(pool).write(stamp(34), new Sql("UPDATE fenced SET note = 'x'")::run)),
        INSTALL((pool, options) -> {
            try (Connection connection = pool.getConnection()) {
                GuardedTables.install(connection, GuardedTable.of("fenced", "id"), options.table());
            }
        });

        private final Doing doing;

        Act(Doing doing) {
            this.doing = doing;
        }

        void run(DataSource pool, GuardOptions options) throws SQLException {
            doing.run(pool, options);
        }
    }

    private interface Doing {
        void run(DataSource pool, GuardOptions options) throws SQLException;
    }

    /** To ask SQLite by BEGIN would begin a transaction that cannot be ended while the result is open. */
    @Test
    @Tag("R11")
    void asksForATransactionWithoutBeginningOne() throws SQLException {
        place.execute("CREATE TABLE fenced (id INTEGER PRIMARY KEY, last_fence INTEGER)");
        try (Connection connection = place.source().getConnection()) {
            try (Statement returning = connection.createStatement();
                    ResultSet open = returning.executeQuery("INSERT INTO fenced (id) VALUES (1), (2) RETURNING id")) {
                open.next();
                assertThatIllegalStateException().isThrownBy(() -> guard.enter(connection, RESOURCE, stamp(34)));
            }
            assertThat(number("SELECT count(*) FROM fenced")).isEqualTo(2);
        }
    }

    /** A pool that cannot roll back what it gets back lends it again as it is. */
    @Test
    @Tag("R11")
    void leavesAPoolsConnectionInOrderThoughSqliteHasRolledBackByItself() throws SQLException {
        place.execute("INSERT INTO lines (id, text) VALUES (1, 'before')");
        place.execute("CREATE TABLE refusing (id INTEGER PRIMARY KEY, last_fence INTEGER, note TEXT)");
        place.execute("CREATE TRIGGER refuse BEFORE UPDATE ON refusing BEGIN SELECT RAISE(ROLLBACK, 'refused'); END");
        place.execute("INSERT INTO refusing (id) VALUES (1)");
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(place.source());
            pool.setMaximumPoolSize(1);
            JdbcFenceGuard pooled = JdbcFenceGuard.on(pool, place.options());
            Sql again = new Sql("INSERT OR ROLLBACK INTO lines (id, text) VALUES (1, 'again')");

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> pooled.call(RESOURCE, stamp(34), again::run));
            assertThatCommitsByItself(pool);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> StampedWrites.on(pool).call(stamp(34), again::run));
            assertThatCommitsByItself(pool);
            try (Connection connection = pool.getConnection()) {
                FencedTable refusing = FencedTable.of("refusing", "id", "last_fence");
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> refusing.update(connection, 1, stamp(34), Columns.set("note", "x")));
            }
            assertThatCommitsByItself(pool);

            pooled.claim(RESOURCE, stamp(34));
        }
    }

    /** The driver of SQLite begins no transaction then, and each statement would be committed by itself. */
    @Test
    @Tag("R1")
    void entersNoConnectionWhoseTransactionSqliteHasRolledBackByItself() throws SQLException {
        place.execute("CREATE TABLE fenced (id INTEGER PRIMARY KEY, last_fence INTEGER, note TEXT)");
        place.execute("INSERT INTO fenced (id) VALUES (1)");
        place.execute("INSERT INTO lines (id, text) VALUES (1, 'before')");
        try (Connection connection = place.begin()) {
            Sql again = new Sql("INSERT OR ROLLBACK INTO lines (id, text) VALUES (1, 'again')");
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> again.run(connection));
            connection.setAutoCommit(false);

            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.enter(connection, RESOURCE, stamp(34)))
                    .withMessageContaining("no transaction though auto-commit is off");
            FencedTable fenced = FencedTable.of("fenced", "id", "last_fence");
            assertThatIllegalStateException()
                    .isThrownBy(() -> fenced.update(connection, 1, stamp(34), Columns.set("note", "x")))
                    .withMessageContaining("no transaction though auto-commit is off");

            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.setAutoCommit(true));
            connection.setAutoCommit(false);
            guard.enter(connection, RESOURCE, stamp(34));
            connection.commit();
        }
    }

    private static void assertThatCommitsByItself(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    /** The thread would wait for itself, for as often as a conflict is repeated. */
    @ParameterizedTest
    @EnumSource(Change.class)
    @Tag("R11")
    void tellsAtOnceThatAThreadWouldWaitForItself(Change change) throws SQLException {
        SqlGenerationClock.on(place.source()).schema().installSchema();
        ((SQLiteDataSource) place.source()).setEnforceForeignKeys(true);
        place.execute("CREATE TABLE fenced (id INTEGER PRIMARY KEY)");
        try (Connection connection = place.source().getConnection()) {
            GuardedTables.install(connection, GuardedTable.of("fenced", "id"), "fenceline_fences");
        }

        assertThatIllegalStateException()
                .isThrownBy(() -> guard.write(RESOURCE, stamp(34), body -> change.run(place.source())))
                .withMessageContaining("SQLite has one writer at a time");
        assertThatIllegalStateException()
                .isThrownBy(() -> StampedWrites.on(place.source()).write(stamp(34), body -> change.run(place.source())))
                .withMessageContaining("SQLite has one writer at a time");
        change.run(place.source());
    }

    @Test
    void readsBesideAGuardsWrite() throws SQLException {
        guard.claim("another", stamp(7));

        guard.write(
                RESOURCE,
                stamp(34),
                body -> assertThat(guard.highest("another")).contains(stamp(7)));
    }

    /** What changes something in a transaction of its own. */
    private enum Change {
        CLAIM(source -> JdbcFenceGuard.on(source).claim("another", stamp(1))),
        STAMPED(source -> StampedWrites.on(source).write(stamp(1), connection -> {})),
        NEXT(source -> SqlGenerationClock.on(source).next("x")),
        INSTALL(source -> {
            try (Connection connection = source.getConnection()) {
                GuardedTables.install(connection, GuardedTable.of("fenced", "id"), "fenceline_fences");
            }
        }),
        RAISE(source -> SqlGenerationClock.on(source).raise("x", FencingToken.of(7)));

        private final Changing changing;

        Change(Changing changing) {
            this.changing = changing;
        }

        void run(DataSource source) throws SQLException {
            changing.run(source);
        }
    }

    private interface Changing {
        void run(DataSource source) throws SQLException;
    }
}
