package io.fenceline.testkit;

import io.fenceline.spi.TokenMode;
import org.junit.jupiter.api.Nested;

class MemoryLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new MemoryFixture(TokenMode.COUNTER);
    }

    @Nested
    class ExactExpiry extends ExactExpiryContract {
        @Override
        protected BackendFixture newFixture() {
            return MemoryLockBackendContractTest.this.newFixture();
        }
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return MemoryLockBackendContractTest.this.newFixture();
        }
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return MemoryLockBackendContractTest.this.newFixture();
        }
    }

    @Nested
    class Succession extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return MemoryLockBackendContractTest.this.newFixture();
        }
    }
}
