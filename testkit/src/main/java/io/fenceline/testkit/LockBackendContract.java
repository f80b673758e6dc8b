package io.fenceline.testkit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Contract of every {@link io.fenceline.spi.LockBackend}. A backend's test class extends this and returns its fixture; nothing
 * else is needed.
 *
 * <p>Each test is tagged with the number of the promise that it checks, {@code G1} to {@code G10} of {@code
 * docs/guarantees.md}. Abilities have contracts of their own: {@link LockCatalogContract}, {@link
 * ReleaseSignalsContract}. So have fixtures that can do more: {@link ExactExpiryContract} where the store's clock moves by
 * hand, {@link OutageContract} where the store can be stopped.
 */
public abstract class LockBackendContract {

    private BackendFixture fixture;

    /** Creates the contract; called by test engines. */
    protected LockBackendContract() {}

    /**
     * Returns a fixture on an empty store. Called once for each test.
     *
     * @return the fixture, which the contract closes
     */
    protected abstract BackendFixture newFixture();

    @BeforeEach
    final void openFixture() {
        fixture = newFixture();
    }

    @AfterEach
    final void closeFixture() {
        fixture.close();
    }

    @Nested
    class Acquire extends AcquireContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class RepeatedAcquire extends RepeatedAcquireContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Tokens extends TokenContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Extend extends ExtendContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Release extends ReleaseContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class ReleaseAfter extends ReleaseAfterContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Lookup extends LookupContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Keys extends KeyContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Races extends RaceContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Handles extends HandleContract {
        @Override
        BackendFixture fixture() {
            return fixture;
        }
    }
}
