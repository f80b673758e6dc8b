package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.trigger.StampedWrites;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
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

        assertThatIllegalStateException()
                .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                    StampedWrites.on(place.source()).write(stamp(34), other -> insert.run(other, 1, "never"));
                    return 0;
                }))
                .withMessageContaining("SQLite has one writer at a time");

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
