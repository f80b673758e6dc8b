package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.GivenServerFixture;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The contract on a server of yours. {@code FENCELINE_TEST_MYSQL_URL} is a JDBC URL, with user and password, of a database in which tables may be made; the
 * driver is on the class path. The tables are named {@code fenceline_contract} and stay there.
 */
@EnabledIfEnvironmentVariable(
        named = "FENCELINE_TEST_MYSQL_URL",
        matches = "jdbc:.+",
        disabledReason = "locks on MySQL or MariaDB are shown only where FENCELINE_TEST_MYSQL_URL names a server")
class GivenMySqlTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return GivenServerFixture.namedBy("FENCELINE_TEST_MYSQL_URL");
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return GivenServerFixture.namedBy("FENCELINE_TEST_MYSQL_URL");
        }
    }
}
