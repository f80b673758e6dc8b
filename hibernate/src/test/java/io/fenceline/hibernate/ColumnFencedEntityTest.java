package io.fenceline.hibernate;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.util.Optional;
import java.util.stream.Stream;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Entities with a fence in a column keep the promises, except those that a column cannot keep. */
class ColumnFencedEntityTest extends FenceGuardContract {

    private static Database database;

    @BeforeAll
    static void openDatabase() {
        database = Database.open();
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @Override
    protected GuardFixture newFixture() {
        return new Fixture();
    }

    private static final class Fixture implements GuardFixture {

        @Override
        public GuardedData open(FenceRule rule, LockListener... listeners) {
            database.listen(listeners);
            Class<? extends Text> type = rule == FenceRule.ONCE ? ColumnNoteOnce.class : ColumnNote.class;
            return new EntityData(
                    database.sessions(),
                    type,
                    new ColumnGuard(database.sessions(), type, rule, JdbcFenceGuard.on(database.source())));
        }

        @Override
        public void restart() {
            database.restart();
        }

        @Override
        public boolean keepsLockKeys() {
            return false;
        }

        @Override
        public boolean tellsClaimsFromWrites() {
            return false;
        }

        @Override
        public void close() {
            database.empty();
        }
    }

    /** The entity's fence as the contract sees it: in the row while there is one, in the fence table afterwards. */
    private record ColumnGuard(SessionFactory sessions, Class<? extends Text> type, FenceRule rule, FenceGuard rowless)
            implements FenceGuard {

        @Override
        public void claim(String resource, FenceStamp stamp) {
            new EntityData(sessions, type, rowless)
                    .inTransaction(stamp, session -> Fencing.in(session).enter(type, resource));
        }

        @Override
        public Verdict check(String resource, FenceStamp stamp) {
            FencingToken highest = highest(resource).map(FenceStamp::token).orElse(stamp.token());
            return rule.admits(stamp.token().value(), highest.value(), 0)
                    ? new Verdict.Accepted()
                    : new Verdict.Stale(highest);
        }

        @Override
        public Optional<FenceStamp> highest(String resource) {
            Optional<FenceStamp> beside = rowless.highest(resource);
            Stream<Long> inRow = sessions
                    .fromSession(session -> session.createSelectionQuery(
                                    "select lastFence from " + type.getSimpleName() + " where id = :id", Long.class)
                            .setParameter("id", resource)
                            .getResultList())
                    .stream();
            return Stream.concat(beside.stream().map(fence -> fence.token().value()), inRow)
                    .max(Long::compare)
                    .map(token -> new FenceStamp(beside.orElseThrow().key(), FencingToken.of(token)));
        }
    }
}
