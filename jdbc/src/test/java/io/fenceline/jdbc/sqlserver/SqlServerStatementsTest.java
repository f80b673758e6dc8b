package io.fenceline.jdbc.sqlserver;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import org.junit.jupiter.api.Nested;

/** What SQL Server's statements decide, on H2 in its SQL Server mode. What they lock is not shown here. */
class SqlServerStatementsTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new PiecemealFixture();
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new PiecemealFixture();
        }
    }
}
