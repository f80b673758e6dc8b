package io.fenceline.jdbc.hsqldb;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.UriFixture;
import io.fenceline.testkit.WaiterNoticesContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Shows that a product takes one class and a folder of SQL. {@code -Dfenceline.long=true} runs it, since nobody's store is an HSQLDB. */
@EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
class HsqldbContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return UriFixture.of("hsqldb:mem:{}");
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return HsqldbContractTest.this.newFixture();
        }
    }

    @Nested
    class Notices extends WaiterNoticesContract {
        @Override
        protected BackendFixture newFixture() {
            return HsqldbContractTest.this.newFixture();
        }
    }
}
