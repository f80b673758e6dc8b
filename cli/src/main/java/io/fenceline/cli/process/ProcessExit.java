package io.fenceline.cli.process;

/** Waits until a process has ended. */
public final class ProcessExit {

    private ProcessExit() {}

    /**
     * Waits for the end of a process, through interrupts, and returns its exit value. {@link Process#onExit} is no substitute: it
     * completes in the common pool, where the caller may hold the only thread.
     */
    public static int await(Process process) {
        boolean interrupted = false;
        while (true) {
            try {
                int value = process.waitFor();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return value;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
