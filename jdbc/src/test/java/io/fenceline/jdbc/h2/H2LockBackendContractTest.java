package io.fenceline.jdbc.h2;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.FairTurnsContract;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.WaiterNoticesContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** H2 in a file and, {@code -Dfenceline.long=true}, in memory. */
class H2LockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new H2FileFixture();
    }

    @Nested
    class Notices extends WaiterNoticesContract {
        @Override
        protected BackendFixture newFixture() {
            return new H2FileFixture();
        }
    }

    @Nested
    class FairTurns extends FairTurnsContract {
        @Override
        protected BackendFixture newFixture() {
            return new H2FileFixture();
        }
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new H2FileFixture();
        }
    }

    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class InMemory extends LockBackendContract {
        @Override
        protected BackendFixture newFixture() {
            return H2Fixture.inMemory();
        }

        @Nested
        class MemoryCatalog extends LockCatalogContract {
            @Override
            protected BackendFixture newFixture() {
                return H2Fixture.inMemory();
            }
        }
    }
}
