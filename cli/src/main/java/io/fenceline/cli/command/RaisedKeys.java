package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ShellWord;

/**
 * Progress of raising all keys. If it ends early, by a failure or by a signal that ends the JVM, prints how to go on; no key is raised
 * after that.
 */
final class RaisedKeys implements AutoCloseable {

    private final ErrorOutput errors;
    private final Thread hook = new Thread(this::end, "raised-keys");
    private volatile boolean ending;
    private boolean finished;
    private String last;
    private long count;
    private long refused;

    RaisedKeys(String after, ErrorOutput errors) {
        this.last = after;
        this.errors = errors;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    synchronized String last() {
        return last;
    }

    synchronized long count() {
        return count;
    }

    /** Returns how many keys could not be raised. */
    synchronized long refused() {
        return refused;
    }

    /** Raises a key, or prints why that is not possible. Returns false if nothing is raised any more. */
    synchronized boolean raise(LockKey key, Runnable raising) {
        if (ending) {
            return false;
        }
        try {
            raising.run();
            count++;
        } catch (CommandFailure e) {
            errors.print(String.valueOf(e.getMessage()));
            refused++;
        }
        last = key.value();
        return true;
    }

    /** Prints the progress. */
    synchronized void print() {
        errors.print(count + " locks raised, up to " + ShellWord.of(last));
    }

    /** Marks the work as done: there is nothing to go on with. */
    synchronized void complete() {
        finished = true;
    }

    /** Ends the work after the key that is being raised. */
    void end() {
        ending = true;
        printHowToGoOn();
    }

    private synchronized void printHowToGoOn() {
        if (!finished) {
            finished = true;
            errors.print(count + " locks were raised; to go on, repeat the command with --after " + ShellWord.of(last));
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // it has printed, or finds nothing to print
        }
    }
}
