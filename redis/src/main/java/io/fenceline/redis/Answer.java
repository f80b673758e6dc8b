package io.fenceline.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for what a driver promised. */
final class Answer {

    private Answer() {}

    /** Waits to the end though interrupted: a command that was sent is better known than given up. The status is kept. */
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

    /** Lets one future end as another does. */
    static <T> void pass(CompletionStage<T> from, CompletableFuture<T> to) {
        var unused = from.whenComplete((value, failure) -> {
            if (failure == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }
}
