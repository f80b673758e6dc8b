package io.fenceline.benchmarks.worker;

import java.io.Serializable;

/**
 * Work for a {@link WorkerJvm}.
 *
 * @param <R> its result, which is serializable
 */
public interface WorkerTask<R> extends Serializable {

    /** Does the work on the worker's only thread that takes orders. */
    R run(Stage stage) throws Exception;
}
