package io.fenceline.testkit;

/**
 * Opens the guarded data in a process of {@link GuardStressContract}. A class of the test's with a constructor without
 * parameters; each process makes one object of it and opens once.
 */
public interface StressedData extends AutoCloseable {

    /**
     * Opens the data behind its guard under {@link io.fenceline.guard.FenceRule#AT_LEAST}.
     *
     * @param address what the contract's {@link GuardStressContract#address()} says
     * @return the data
     */
    GuardedData guarded(String address);

    /**
     * Opens the data without the guard: reads and writes in the same way, except that nothing is checked. With {@link NoGuard}.
     *
     * @param address what the contract's {@link GuardStressContract#address()} says
     * @return the data
     */
    GuardedData unguarded(String address);

    /** Closes what was opened. */
    @Override
    void close();
}
