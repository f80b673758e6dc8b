package io.fenceline.jdbc.guard;

import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The column of fences: alone, with a column for the lock key, as text, and nullable. */
@Timeout(120)
class FencedTableContractTest {

    @Nested
    class OnPostgres extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(
                    new PostgresPlace(), "bigint NOT NULL DEFAULT 0", false, UnaryOperator.identity());
        }
    }

    @Nested
    class OnPostgresWithLockKeysAndTextFences extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(new PostgresPlace(), "varchar(15)", true, FencedTable::withTextFences);
        }
    }

    @Nested
    class OnSqlite extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(new SqlitePlace(), "INTEGER", false, UnaryOperator.identity());
        }
    }

    @Nested
    class OnSqliteWithLockKeysAndTextFences extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(
                    new SqlitePlace(), "TEXT NOT NULL DEFAULT ''", true, FencedTable::withTextFences);
        }
    }

    @Nested
    class OnMariaDb extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(
                    new MariaDbPlace(), "BIGINT NOT NULL DEFAULT 0", false, UnaryOperator.identity());
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnMariaDbWithLockKeysAndTextFences extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(new MariaDbPlace(), "VARCHAR(15)", true, FencedTable::withTextFences);
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnH2 extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(new H2Place(), "BIGINT", false, UnaryOperator.identity());
        }
    }

    @Nested
    class OnH2WithLockKeysAndTextFences extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(new H2Place(), "VARCHAR(15)", true, FencedTable::withTextFences);
        }
    }
}
