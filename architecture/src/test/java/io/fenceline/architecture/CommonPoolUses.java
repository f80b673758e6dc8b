package io.fenceline.architecture;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One class for each use of the common pool that {@link CommonPoolTest} must find. Nothing runs them. */
final class CommonPoolUses {

    private CommonPoolUses() {}

    record Start(Runnable task) {
        CompletableFuture<Void> use() {
            return CompletableFuture.runAsync(task);
        }
    }

    record Supply(String value) {
        CompletableFuture<String> use() {
            return CompletableFuture.supplyAsync(() -> value);
        }
    }

    record Continuation(CompletionStage<String> stage) {
        CompletionStage<Integer> use() {
            return stage.thenApplyAsync(String::length);
        }
    }

    record Completion(CompletableFuture<String> future) {
        CompletableFuture<String> use() {
            return future.completeAsync(() -> "");
        }
    }

    record MethodReference() {
        Function<Runnable, CompletableFuture<Void>> use() {
            return CompletableFuture::runAsync;
        }
    }

    record Delay() {
        Executor use() {
            return CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
        }
    }

    record DefaultExecutor(CompletableFuture<Void> future) {
        Executor use() {
            return future.defaultExecutor();
        }
    }

    record ParallelStream(List<String> texts) {
        Stream<String> use() {
            return texts.parallelStream();
        }
    }

    record Parallel() {
        IntStream use() {
            return IntStream.range(0, 9).parallel();
        }
    }

    record Sort(int[] numbers) {
        void use() {
            Arrays.parallelSort(numbers);
        }
    }

    record Pool() {
        ForkJoinPool use() {
            return ForkJoinPool.commonPool();
        }
    }

    record Fork(ForkJoinTask<String> task) {
        ForkJoinTask<String> use() {
            return task.fork();
        }
    }

    record Publisher() {
        SubmissionPublisher<String> use() {
            return new SubmissionPublisher<>();
        }
    }

    record BulkSearch(ConcurrentHashMap<String, String> map) {
        String use() {
            return map.search(1, (key, value) -> key);
        }
    }

    record ExitOfAProcess(Process process) {
        CompletableFuture<Process> use() {
            return process.onExit();
        }
    }

    record ExitOfAStranger(ProcessHandle process) {
        CompletableFuture<ProcessHandle> use() {
            return process.onExit();
        }
    }
}
