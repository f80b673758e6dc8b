package io.fenceline.testkit;

import org.junit.jupiter.api.Nested;

/**
 * Contract of backends with a {@link io.fenceline.spi.LockCatalog}, and of all backends at the limit of tokens, which only a
 * catalog can reach.
 */
public abstract class LockCatalogContract extends AbilityContract {

    /** Creates the contract; called by test engines. */
    protected LockCatalogContract() {}

    @Nested
    class Listing extends CatalogListingContract {
        @Override
        BackendFixture fixture() {
            return LockCatalogContract.this.fixture();
        }
    }

    @Nested
    class Tokens extends CatalogTokenContract {
        @Override
        BackendFixture fixture() {
            return LockCatalogContract.this.fixture();
        }
    }

    @Nested
    class ForcedRelease extends ForcedReleaseContract {
        @Override
        BackendFixture fixture() {
            return LockCatalogContract.this.fixture();
        }
    }
}
