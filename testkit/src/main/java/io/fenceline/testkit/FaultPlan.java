package io.fenceline.testkit;

/** Decides what happens to each operation. Called from the threads that use the backend; must be safe for all of them. */
@FunctionalInterface
public interface FaultPlan {

    /**
     * Decides about the next operation.
     *
     * @param operation what is about to be done
     * @return what happens to it; {@link Fault#none()} for nothing
     */
    Fault next(BackendOperation operation);

    /**
     * Returns a plan without faults.
     *
     * @return always {@link Fault#none()}
     */
    static FaultPlan none() {
        return operation -> Fault.none();
    }
}
