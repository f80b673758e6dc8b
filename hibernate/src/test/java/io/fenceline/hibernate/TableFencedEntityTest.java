package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Entities with fences in the fence table keep the promises of every guard. */
class TableFencedEntityTest extends FenceGuardContract {

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
            GuardOptions options = GuardOptions.defaults().withRule(rule).withListeners(listeners);
            return new EntityData(
                    database.sessions(),
                    rule == FenceRule.ONCE ? NoteOnce.class : Note.class,
                    JdbcFenceGuard.on(database.source(), options));
        }

        @Override
        public void restart() {
            database.restart();
        }

        @Override
        public void close() {
            database.empty();
        }
    }
}
