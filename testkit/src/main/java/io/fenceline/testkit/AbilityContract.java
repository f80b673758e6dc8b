package io.fenceline.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * A contract of something that not every backend, or not every fixture, can do. Whoever claims it extends the subclass, for
 * instance as a {@code @Nested} class of the backend's own test.
 */
abstract class AbilityContract extends ContractVocabulary {

    private @Nullable BackendFixture fixture;

    /** Returns the fixture, which the contract closes. Called once for each test. */
    protected abstract BackendFixture newFixture();

    @Override
    final BackendFixture fixture() {
        BackendFixture open = fixture;
        if (open == null) {
            open = newFixture();
            fixture = open;
        }
        return open;
    }

    @AfterEach
    final void closeFixture() {
        if (fixture != null) {
            fixture.close();
            fixture = null;
        }
    }
}
