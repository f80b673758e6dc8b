package io.fenceline.testkit;

/** A fixture whose store can be taken away and given back, as an operator or an accident does. */
public interface OutageFixture extends BackendFixture {

    /** Stops the store, or cuts the way to it. Backends stay open and fail. */
    void stopStore();

    /** Starts the store that was stopped, with all that it had acknowledged. Backends that stayed open work again. */
    void startStore();

    /** Kills the store in the middle of its work, as {@code kill -9} or a loss of power does. {@link #startStore} starts it again. */
    default void killStore() {
        stopStore();
    }
}
