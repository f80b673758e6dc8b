package io.fenceline.redis.link;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocks on driver futures. */
final class Futures {

    private Futures() {}

    /** Blocks with a timeout. An interrupt is deferred, since the result of a command that was sent must be known. */
    static <T> T await(CompletableFuture<T> answer, long nanos) throws ExecutionException, TimeoutException {
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + nanos;
        try {
            while (true) {
                try {
                    return answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
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

    static Throwable causeOf(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
