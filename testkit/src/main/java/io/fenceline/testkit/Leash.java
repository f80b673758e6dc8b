package io.fenceline.testkit;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ties a {@link ChildJvm} to the test that started it: it is loose when the test says so, or is gone. The test can nudge the
 * process through it.
 */
final class Leash {

    static final String READY = "ready";

    private final AtomicBoolean loose = new AtomicBoolean();
    private final Runnable nudged;

    private Leash(Runnable nudged) {
        this.nudged = nudged;
    }

    /** Ties this process, and tells the test that it is ready. */
    static Leash tied() {
        return tied(() -> {});
    }

    /**
     * Ties this process, and tells the test that it is ready.
     *
     * @param nudged called for each {@link ChildJvm#nudge}, on a thread of its own
     */
    static Leash tied(Runnable nudged) {
        Leash leash = new Leash(nudged);
        Thread watch = new Thread(leash::watch, "end of input");
        watch.setDaemon(true);
        watch.start();
        System.out.println(READY);
        System.out.flush();
        return leash;
    }

    boolean isTied() {
        return !loose.get();
    }

    private void watch() {
        try {
            while (System.in.read() >= 0) {
                nudged.run();
            }
        } catch (IOException e) {
            // as good as an end
        }
        loose.set(true);
    }
}
