package io.fenceline.benchmarks.worker;

/** Closes the contender that is open. */
public record CloseTask() implements WorkerTask<Boolean> {

    @Override
    public Boolean run(Stage stage) throws Exception {
        stage.close();
        return true;
    }
}
