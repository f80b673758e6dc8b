package io.fenceline.testkit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Contract of every guard: {@code R1} to {@code R7} and {@code R9} of {@code docs/guarantees.md}. A guard's test class extends
 * this and returns its fixture; nothing else is needed.
 */
public abstract class FenceGuardContract {

    private GuardFixture fixture;

    /** Creates the contract; called by test engines. */
    protected FenceGuardContract() {}

    /**
     * Returns a fixture without data. Called once for each test.
     *
     * @return the fixture, which the contract closes
     */
    protected abstract GuardFixture newFixture();

    @BeforeEach
    final void openFixture() {
        fixture = newFixture();
    }

    @AfterEach
    final void closeFixture() {
        fixture.close();
    }

    @Nested
    class StaleWrites extends StaleWriteContract {
        @Override
        GuardFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Claims extends ClaimContract {
        @Override
        GuardFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Memory extends FenceMemoryContract {
        @Override
        GuardFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Owners extends FenceOwnerContract {
        @Override
        GuardFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Races extends GuardRaceContract {
        @Override
        GuardFixture fixture() {
            return fixture;
        }
    }
}
