package io.fenceline.benchmarks.worker;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.util.concurrent.locks.LockSupport;

/** The main class of a {@link WorkerJvm}: runs the tasks that come on its input and answers on its output. */
public final class WorkerMain {

    private WorkerMain() {}

    /** Runs until the input ends. */
    public static void main(String[] args) throws IOException, ClassNotFoundException {
        PrintStream output = System.out;
        System.setOut(System.err); // what a library prints there is no answer
        ProcessHandle.current().parent().ifPresent(WorkerMain::endWith);
        Stage stage = new Stage();
        try (ObjectOutputStream replies = new ObjectOutputStream(output)) {
            replies.flush();
            ObjectInputStream tasks = new ObjectInputStream(new BufferedInputStream(System.in));
            while (true) {
                replies.writeUnshared(reply((WorkerTask<?>) tasks.readUnshared(), stage));
                replies.reset();
                replies.flush();
            }
        } catch (EOFException end) {
            System.exit(0); // contenders may have left threads
        }
    }

    /** Ends this JVM when the parent ends, also in the middle of a task. */
    private static void endWith(ProcessHandle parent) {
        Thread watch = new Thread(
                () -> {
                    while (parent.isAlive()) {
                        LockSupport.parkNanos(100_000_000);
                    }
                    Runtime.getRuntime().halt(1);
                },
                "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static TaskReply reply(WorkerTask<?> task, Stage stage) {
        try {
            return new TaskReply(task.run(stage), "");
        } catch (Exception | LinkageError e) {
            if (Boolean.getBoolean("fenceline.traces")) {
                e.printStackTrace();
            }
            return new TaskReply(null, e.toString());
        }
    }
}
