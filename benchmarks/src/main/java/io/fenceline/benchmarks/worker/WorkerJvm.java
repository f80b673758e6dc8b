package io.fenceline.benchmarks.worker;

import io.fenceline.testkit.JvmCommand;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A JVM that runs contenders, so that they share nothing with whoever measures. For one thread. */
public final class WorkerJvm implements AutoCloseable {

    private static final long LIMIT_SECONDS = 60;

    private final Process process;
    private final ObjectOutputStream tasks;
    private final ObjectInputStream replies;

    private WorkerJvm(Process process) throws IOException {
        this.process = process;
        this.tasks = new ObjectOutputStream(process.getOutputStream());
        tasks.flush();
        this.replies = new ObjectInputStream(new BufferedInputStream(process.getInputStream()));
    }

    /** Starts one with our own class path. */
    public static WorkerJvm start() {
        List<String> command = JvmCommand.with(
                List.of(
                        "-Xms256m",
                        "-Xmx1g",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dfenceline.traces=" + Boolean.getBoolean("fenceline.traces")),
                WorkerMain.class);
        try {
            return new WorkerJvm(
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether it takes tasks. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Gives it a task and does not wait for the end. Returns what waits for the end: called before the next task is
     * given.
     */
    public <R> Pending<R> send(WorkerTask<R> task) {
        try {
            tasks.writeUnshared(task);
            tasks.reset();
            tasks.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the worker has ended", e);
        }
        return this::receive;
    }

    /** Gives it a task and returns its result. */
    public <R> R call(WorkerTask<R> task) {
        return send(task).result();
    }

    /** A task's end. */
    public interface Pending<R> {

        /**
         * Waits for it. A worker that does not come to an end is killed.
         *
         * @throws IllegalStateException if the task failed
         */
        R result();
    }

    @SuppressWarnings("unchecked")
    private <R> R receive() {
        CompletableFuture<Void> limit =
                new CompletableFuture<Void>().completeOnTimeout(null, LIMIT_SECONDS, TimeUnit.SECONDS);
        limit.thenRun(process::destroyForcibly);
        try {
            TaskReply reply = (TaskReply) replies.readUnshared();
            if (!reply.failure().isEmpty()) {
                throw new IllegalStateException(reply.failure());
            }
            return (R) reply.result();
        } catch (IOException | ClassNotFoundException e) {
            process.destroyForcibly();
            throw new IllegalStateException(
                    "the worker did not end its task within " + LIMIT_SECONDS + " s, or died", e);
        } finally {
            limit.cancel(false);
        }
    }

    @Override
    public void close() {
        Process ended = process.destroyForcibly();
        boolean interrupted = false;
        while (ended.isAlive()) {
            try {
                ended.waitFor();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
