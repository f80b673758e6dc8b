package io.fenceline.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The end of standard input. Reads on a daemon thread, because a read of standard input cannot be interrupted. */
final class InputEnd {

    private final CountDownLatch reached = new CountDownLatch(1);
    private final InputStream input;
    private final Runnable reaction;

    private InputEnd(InputStream input, Runnable reaction) {
        this.input = input;
        this.reaction = reaction;
    }

    /** Reads the input to its end, then runs the reaction. */
    static InputEnd of(InputStream input, Runnable reaction) {
        InputEnd end = new InputEnd(input, reaction);
        Thread reader = new Thread(end::read, "standard-input");
        reader.setDaemon(true);
        reader.start();
        return end;
    }

    private void read() {
        try (input) {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException unreadable) {
            // treated as its end
        }
        reached.countDown();
        reaction.run();
    }

    /** Returns whether the input ends within a time. */
    boolean comesWithin(Duration time) throws InterruptedException {
        return reached.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
