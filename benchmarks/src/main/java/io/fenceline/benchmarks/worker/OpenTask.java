package io.fenceline.benchmarks.worker;

import io.fenceline.benchmarks.store.StoreAddress;

/**
 * Opens a contender in place of the one that is open.
 *
 * @param contender its name
 * @param address where its store is
 */
public record OpenTask(String contender, StoreAddress address) implements WorkerTask<Boolean> {

    @Override
    public Boolean run(Stage stage) throws Exception {
        stage.open(contender, address);
        return true;
    }
}
