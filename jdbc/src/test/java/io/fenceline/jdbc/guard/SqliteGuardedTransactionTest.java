package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.TransactionEnd;
import io.fenceline.jdbc.trigger.StampedWrites;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteDataSource;

class SqliteGuardedTransactionTest extends GuardedTransactionContract {

    @Override
    GuardPlace newPlace() {
        return new SqlitePlace();
    }

    @Override
    SQLException conflict() {
        return new SQLException("database is locked", null, 5);
    }

    @Override
    long linesAfterAHiddenCommit() {
        return 1;
    }

    @Override
    void awaitBlocked() {
        // SQLite tells nobody who waits; that the claim sees the line is what counts.
    }

    @Test
    void aDeferredConstraintIsToldAsAnImmediateOneIs() throws SQLException {
        ((SQLiteDataSource) place.source()).setEnforceForeignKeys(true);
        tellsADeferredConstraint();
    }

    @Test
    void aTransactionThatHadReadBeforeOthersWroteIsToldToEnterFirst() throws SQLException {
        try (Connection old = place.begin()) {
            new Sql("SELECT total FROM " + place.in("totals")).one(old, row -> row.getLong(1));
            guard.claim(RESOURCE, stamp(34));

            SQLException outdated =
                    catchThrowableOfType(SQLException.class, () -> guard.enter(old, RESOURCE, stamp(35)));

            assertThat(Products.named("SQLite").fences().isConflict(outdated)).isTrue();
            assertThat(Products.named("SQLite").errors().failed(outdated, Effect.UNKNOWN))
                    .hasMessageContaining("BEGIN IMMEDIATE")
                    .extracting(BackendException::effect)
                    .isEqualTo(Effect.NONE);
            old.rollback();
            guard.enter(old, RESOURCE, stamp(35));
            old.commit();
        }
    }

    /** A file has one writer at a time, so it does not matter that the second resource is another one. */
    @Test
    void tellsAtOnceThatAThreadWouldWaitForItselfToWriteAnotherResource() throws SQLException {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                    guard.claim("another", stamp(34));
                    return 0;
                }))
                .withMessageContaining("SQLite has one writer at a time")
                .withMessageContaining("claim(connection");

        guard.call(RESOURCE, stamp(34), connection -> {
            guard.claim(connection, "another", stamp(34));
            return 0;
        });
        guard.claim("another", stamp(35));
    }

    /** SQLite rolls all back by itself then, and the next statement commits by itself. */
    @Test
    @Tag("R11")
    void saysThatAllMayBeUndoneWhereTheBodyKeepsAnErrorForItselfThatRollsBack() {
        place.execute("INSERT INTO lines (id, text) VALUES (1, 'before')");

        BackendException failed = catchThrowableOfType(
                BackendException.class,
                () -> guard.call(RESOURCE, stamp(34), connection -> {
                    insert.run(connection, 2, "undone");
                    Sql again = new Sql("INSERT OR ROLLBACK INTO lines (id, text) VALUES (1, 'again')");
                    assertThatExceptionOfType(SQLException.class).isThrownBy(() -> again.run(connection));
                    return insert.run(connection, 3, "not under the fence");
                }));

        assertThat(failed)
                .hasMessageContaining("ended in the middle")
                .hasMessageContaining("committed or undone")
                .extracting(BackendException::effect)
                .isEqualTo(Effect.UNKNOWN);
        assertThat(number("SELECT sum(id) FROM lines")).isEqualTo(1 + 3);
        assertThat(guard.highest(RESOURCE)).isEmpty();
    }

    @Test
    @Tag("R11")
    void commitsOnceThoughTheDriverCannotBeginTheNextTransaction() throws SQLException {
        AtomicInteger bodies = new AtomicInteger();
        try (Connection connection = place.source().getConnection()) {
            DataSource busy = BoundDataSource.to(withoutNextTransaction(connection, "commit"));
            JdbcFenceGuard.on(busy, place.options())
                    .call(RESOURCE, stamp(34), body -> insert.run(body, bodies.incrementAndGet(), "once"));
        }

        assertThat(bodies).hasValue(1);
        assertThat(number("SELECT count(*) FROM lines")).isEqualTo(1);
    }

    @Test
    void rollsBackThoughTheDriverCannotBeginTheNextTransaction() throws SQLException {
        try (Connection connection = place.begin()) {
            insert.run(connection, 1, "undone");

            TransactionEnd.rollBack(withoutNextTransaction(connection, "rollback"));

            assertThat(connection.getAutoCommit()).isTrue();
        }
        assertThat(number("SELECT count(*) FROM lines")).isZero();
    }

    @Test
    void doesNotTakeACommitThatIsBusyItselfForDone() throws SQLException {
        try (Connection connection = place.begin()) {
            insert.run(connection, 1, "undone");

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> TransactionEnd.commit(busyAt(connection, "commit", () -> {})));
        }
        assertThat(number("SELECT count(*) FROM lines")).isZero();
    }

    /** As on a busy file with {@code transaction_mode=IMMEDIATE}: the driver's call ends the transaction, and throws. */
    private static Connection withoutNextTransaction(Connection connection, String call) {
        return busyAt(connection, call, () -> new Sql(call).run(connection));
    }

    private static Connection busyAt(Connection connection, String call, Step before) {
        AtomicBoolean isOver = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                SqliteGuardedTransactionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(call) && !isOver.getAndSet(true)) {
                        before.run();
                        throw new SQLException("[SQLITE_BUSY] The database file is locked", null, 5);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private interface Step {
        void run() throws SQLException;
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

    @Test
    void repeatsNoBodyThatLeavesAResultOpen() {
        AtomicInteger bodies = new AtomicInteger();

        BackendException failed = catchThrowableOfType(
                BackendException.class,
                () -> guard.call(RESOURCE, stamp(34), connection -> {
                    bodies.incrementAndGet();
                    return connection
                            .createStatement()
                            .executeQuery("INSERT INTO lines (id, text) VALUES (1, 'x'), (2, 'y') RETURNING id");
                }));

        assertThat(failed).hasMessageContaining("close it in the body");
        assertThat(bodies).hasValue(1);
        assertThat(number("SELECT count(*) FROM lines")).isZero();
    }

    @Test
    void repeatsItsOwnTransactionWhileTheFileIsLocked() throws SQLException {
        try (SqlitePlace busy = new SqlitePlace(JournalMode.WAL, 1)) {
            JdbcFenceGuard own = JdbcFenceGuard.on(busy.source(), busy.options().withRetries(1));
            own.schema().installSchema();
            try (Connection other = busy.begin()) {
                own.enter(other, "another", stamp(1));

                BackendException gaveUp =
                        catchThrowableOfType(BackendException.class, () -> own.claim(RESOURCE, stamp(34)));

                assertThat(gaveUp.code()).isEqualTo(ErrorCode.ABORTED);
                assertThat(gaveUp).hasMessageContaining("2 attempts");
                other.commit();
            }
            own.claim(RESOURCE, stamp(34));
        }
    }
}
