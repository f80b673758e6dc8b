package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A guard's own transactions: all or nothing, under the fence from the first statement to the commit. */
abstract class GuardedTransactionContract extends CallersTransactionContract {

    /** Waits until the claimer waits, where the database can tell. */
    abstract void awaitBlocked();

    /** A violation is the body's error also where it is found at the commit. */
    final void tellsADeferredConstraint() throws SQLException {
        place.execute("CREATE TABLE " + place.in("items") + " (line INTEGER REFERENCES " + place.in("lines")
                + " (id) DEFERRABLE INITIALLY DEFERRED)");
        Sql orphan = new Sql("INSERT INTO " + place.in("items") + " (line) VALUES (99)");

        SQLException refused = catchThrowableOfType(
                SQLException.class, () -> guard.write(RESOURCE, stamp(34), connection -> orphan.run(connection)));

        assertThat(refused.getMessage()).containsIgnoringCase("foreign key");
        assertThat(number("SELECT count(*) FROM " + place.in("items"))).isZero();
        assertThat(guard.highest(RESOURCE)).isEmpty();
    }

    @Test
    void protectsAllTablesThatAreWrittenInOneTransaction() throws SQLException {
        guard.call(RESOURCE, stamp(34), connection -> {
            insert.run(connection, 1, "first");
            return new Sql("UPDATE " + place.in("totals") + " SET total = total + 1").run(connection);
        });

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.write(RESOURCE, stamp(33), connection -> insert.run(connection, 2, "stale")));

        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
        assertThat(number("SELECT total FROM " + place.in("totals"))).isEqualTo(1);
    }

    @Test
    void rollsEverythingBackWhenTheBodyFails() throws SQLException {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.write(RESOURCE, stamp(34), connection -> {
                    insert.run(connection, 1, "first");
                    throw new IllegalStateException("no money");
                }))
                .withMessage("no money");
        SQLException duplicate = catchThrowableOfType(
                SQLException.class,
                () -> guard.call(RESOURCE, stamp(34), connection -> {
                    insert.run(connection, 1, "first");
                    return insert.run(connection, 1, "again");
                }));

        assertThat(duplicate.getMessage()).isNotBlank();
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        assertThat(guard.highest(RESOURCE)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitsNothingWhereTheRollbackFailsToo(boolean checked) throws SQLException {
        JdbcFenceGuard stuck = JdbcFenceGuard.on(failingToRollBack(place.source(), checked), place.options());

        assertThatIllegalStateException()
                .isThrownBy(() -> stuck.write(RESOURCE, stamp(34), connection -> {
                    insert.run(connection, 1, "first");
                    throw new IllegalStateException("no money");
                }))
                .withMessage("no money");

        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        assertThat(guard.highest(RESOURCE)).isEmpty();
    }

    @Test
    void letsTheBodyNotEndTheTransaction() throws SQLException {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                    insert.run(connection, 1, "first");
                    connection.commit();
                    return 0;
                }))
                .withMessageContaining("commit()");

        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
    }

    @Test
    void tellsThatACommitMayHaveHappenedWhenItsAnswerIsLost() throws SQLException {
        JdbcFenceGuard unlucky = JdbcFenceGuard.on(losingAnswersToCommits(place.source()), place.options());

        BackendException lost = catchThrowableOfType(
                BackendException.class,
                () -> unlucky.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "first")));

        assertThat(lost.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
    }

    @Test
    @Tag("R4")
    void aClaimWaitsForTheTransactionThatRunsAndALaterOneIsRefused() throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<Integer> old = OnNewThread.supply(() -> {
            try {
                return guard.call(RESOURCE, stamp(33), connection -> {
                    int rows = insert.run(connection, 1, "of the old holder");
                    written.countDown();
                    assertThat(await(goOn)).isTrue();
                    return rows;
                });
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(await(written)).isTrue();
        CompletableFuture<Long> claim = OnNewThread.supply(() -> {
            guard.claim(RESOURCE, stamp(34));
            return number("SELECT count(*) FROM " + place.in("lines"));
        });
        awaitBlocked();
        assertThat(claim).isNotDone();

        goOn.countDown();

        assertThat(claim.get(20, TimeUnit.SECONDS))
                .as("lines seen after the claim")
                .isEqualTo(1);
        assertThat(old.get()).isEqualTo(1);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.write(RESOURCE, stamp(33), connection -> insert.run(connection, 2, "stale")));
    }

    @Test
    @Tag("R2")
    void countsNoClaimOfAKnownResourceAsTheOneWriteOfAGrant() throws SQLException {
        JdbcFenceGuard once = JdbcFenceGuard.on(place.source(), place.options().withRule(FenceRule.ONCE));
        once.call(RESOURCE, stamp(33), connection -> 0);
        once.claim(RESOURCE, stamp(34));

        once.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "the one"));

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> once.write(RESOURCE, stamp(34), connection -> insert.run(connection, 2, "again")));
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
    }

    @Test
    @Tag("R11")
    void letsTheBodyEndTheTransactionByNoOtherWayEither() throws SQLException {
        List<SqlCall<Object, RuntimeException>> endings = List.of(
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.execute("COMMIT");
                    }
                },
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.executeUpdate(" /* now */ -- or never\n rollback");
                    }
                },
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.getConnection().commit();
                        return true;
                    }
                },
                connection -> {
                    connection.getMetaData().getConnection().commit();
                    return true;
                },
                connection -> {
                    connection.rollback();
                    return true;
                });

        for (SqlCall<Object, RuntimeException> ending : endings) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                        insert.run(connection, 1, "first");
                        return ending.call(connection);
                    }))
                    .withMessageContaining("the guard ends its transaction");
        }
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        assertThat(guard.highest(RESOURCE)).isEmpty();
    }

    @Test
    @Tag("R11")
    void commitsNothingAfterTheTransactionWasEndedWhereTheGuardCannotSee() throws SQLException {
        BackendException failed = failureOfABodyThatEndsItsTransaction(raw -> {
            try (Statement hidden = raw.createStatement()) {
                hidden.execute("COMMIT");
            }
        });

        assertThat(failed).hasMessageContaining("ended in the middle");
        assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(linesAfterAHiddenCommit());
    }

    @Test
    @Tag("R11")
    void commitsNothingAfterTheDriverHasBegunAnotherTransaction() throws SQLException {
        BackendException failed = failureOfABodyThatEndsItsTransaction(Connection::commit);

        assertThat(failed).hasMessageContaining("ended in the middle");
        assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
    }

    private BackendException failureOfABodyThatEndsItsTransaction(Ending ending) {
        AtomicReference<Connection> raw = new AtomicReference<>();
        JdbcFenceGuard watched = JdbcFenceGuard.on(BoundDataSource.remembering(place.source(), raw), place.options());
        return catchThrowableOfType(
                BackendException.class,
                () -> watched.call(RESOURCE, stamp(33), connection -> {
                    ending.of(raw.get());
                    CompletableFuture.runAsync(() -> guard.claim("another", stamp(1)), task -> new Thread(task).start())
                            .join(); // the fence is free: nobody waits
                    return insert.run(connection, 1, "not under the fence");
                }));
    }

    private interface Ending {
        void of(Connection raw) throws SQLException;
    }

    /** SQLite commits each statement by itself then, and cannot take it back. */
    long linesAfterAHiddenCommit() {
        return 0;
    }

    /** Rolls nothing back, and says so. */
    private static DataSource failingToRollBack(DataSource source, boolean checked) {
        return InterceptedEnds.of(source, (how, real) -> {
            if (how.equals("rollback")) {
                SQLException busy = new SQLException("too busy to roll back");
                if (checked) {
                    throw busy;
                }
                throw new IllegalStateException(busy);
            }
            real.run();
        });
    }

    /** Commits, and then says what a driver says whose connection broke before the answer came. */
    private static DataSource losingAnswersToCommits(DataSource source) {
        return InterceptedEnds.of(source, (how, real) -> {
            real.run();
            if (how.equals("commit")) {
                throw new SQLException("I/O error", "08006");
            }
        });
    }
}
