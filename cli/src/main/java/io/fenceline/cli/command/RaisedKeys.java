package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ShellWord;

/** Progress of raising all keys. If it ends early, by a failure or by a signal that ends the JVM, prints how to go on. */
final class RaisedKeys implements AutoCloseable {

    private final ErrorOutput errors;
    private final Thread hook = new Thread(this::printHowToGoOn, "raised-keys");
    private boolean finished;
    private volatile String last;
    private volatile long count;
    private long refused;

    RaisedKeys(String after, ErrorOutput errors) {
        this.last = after;
        this.errors = errors;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    String last() {
        return last;
    }

    long count() {
        return count;
    }

    /** Returns how many keys could not be raised. */
    long refused() {
        return refused;
    }

    /** Prints why a key was not raised, and goes on after it. */
    void refuse(LockKey key, CommandFailure why) {
        errors.print(String.valueOf(why.getMessage()));
        last = key.value();
        refused++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; the hook reads it
    void add(LockKey key) {
        last = key.value();
        count++;
    }

    /** Prints the progress. */
    void print() {
        errors.print(count + " locks raised, up to " + ShellWord.of(last));
    }

    /** Marks the work as done: there is nothing to go on with. */
    synchronized void complete() {
        finished = true;
    }

    private synchronized void printHowToGoOn() {
        if (!finished) {
            finished = true;
            errors.print(count + " locks were raised; to go on, repeat the command with --after " + ShellWord.of(last));
        }
    }

    @Override
    public void close() {
        printHowToGoOn();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // it has printed, or finds nothing to print
        }
    }
}
