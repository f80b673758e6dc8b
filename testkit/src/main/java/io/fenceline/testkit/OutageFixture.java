package io.fenceline.testkit;

/** A fixture whose store can be taken away and given back, as an operator or an accident does. */
public interface OutageFixture extends BackendFixture {

    /** Stops the store, or cuts the way to it. Backends stay open and fail. */
    void stopStore();

    /** Starts the store that was stopped, with all that it had acknowledged. Backends that stayed open work again. */
    void startStore();
}
