package io.fenceline.benchmarks.worker;

import io.fenceline.benchmarks.contender.KeyLock;

/**
 * Half a cycle, or many whole ones.
 *
 * @param key what is locked
 * @param acquires whether it acquires first
 * @param releases whether it releases then
 * @param times how often
 */
public record StepTask(String key, boolean acquires, boolean releases, int times) implements WorkerTask<Boolean> {

    @Override
    public Boolean run(Stage stage) throws Exception {
        KeyLock lock = stage.lock(key);
        for (int i = 0; i < times; i++) {
            if (acquires) {
                lock.acquire();
            }
            if (releases) {
                lock.release();
            }
        }
        return true;
    }
}
