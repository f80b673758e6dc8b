package io.fenceline.jdbc.product;

/** Waits that no interrupt ends. The thread's interrupt status is kept. */
final class Uninterrupted {

    private Uninterrupted() {}

    /** A wait that may be begun again. */
    @FunctionalInterface
    interface Wait<T, X extends Exception> {
        T run() throws InterruptedException, X;
    }

    static <T, X extends Exception> T run(Wait<T, X> wait) throws X {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return wait.run();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
