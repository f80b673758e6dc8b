package io.fenceline.jdbc.guard;

import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sqlite.SQLiteConfig.JournalMode;

/** The table of fences on each database, at the strictest isolation level, and in each kind of journal. */
@Timeout(120)
class FenceTableContractTest {

    @Nested
    class OnPostgres extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new PostgresPlace());
        }
    }

    @Nested
    class OnPostgresAtSerializable extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new PostgresPlace("serializable"));
        }
    }

    @Nested
    class OnSqlite extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new SqlitePlace());
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnSqliteWithARollbackJournal extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new SqlitePlace(JournalMode.DELETE, 10_000));
        }
    }

    @Nested
    class OnMariaDb extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new MariaDbPlace());
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnMariaDbAtReadCommitted extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new MariaDbPlace("TRANSACTION_READ_COMMITTED"));
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnMariaDbAtSerializable extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new MariaDbPlace("TRANSACTION_SERIALIZABLE"));
        }
    }

    @Nested
    class OnH2 extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new H2Place());
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnH2AtSerializable extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(new H2Place("TRANSACTION_SERIALIZABLE"));
        }
    }
}
