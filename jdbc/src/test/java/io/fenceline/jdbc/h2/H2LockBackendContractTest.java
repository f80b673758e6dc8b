package io.fenceline.jdbc.h2;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import org.junit.jupiter.api.Nested;

/** H2 in memory and in a file. */
class H2LockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return H2Fixture.inMemory();
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return H2Fixture.inMemory();
        }
    }

    @Nested
    class InAFile extends LockBackendContract {
        @Override
        protected BackendFixture newFixture() {
            return new H2FileFixture();
        }

        @Nested
        class FileCatalog extends LockCatalogContract {
            @Override
            protected BackendFixture newFixture() {
                return new H2FileFixture();
            }
        }
    }
}
