package io.fenceline.testkit;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Connects a {@link ChildJvm} to the test that started it, by standard input: its end means that the test has closed it or has ended.
 * A byte is a nudge.
 */
final class ParentLink {

    static final String READY = "ready";

    private final AtomicBoolean closed = new AtomicBoolean();
    private final Runnable onNudge;

    private ParentLink(Runnable onNudge) {
        this.onNudge = onNudge;
    }

    /** Connects this process and reports that it is ready. */
    static ParentLink connect() {
        return connect(() -> {});
    }

    /** Connects this process and reports that it is ready. {@code onNudge} runs on a thread of its own. */
    static ParentLink connect(Runnable onNudge) {
        ParentLink parent = new ParentLink(onNudge);
        Thread watch = new Thread(parent::watch, "end of input");
        watch.setDaemon(true);
        watch.start();
        System.out.println(READY);
        System.out.flush();
        return parent;
    }

    boolean isConnected() {
        return !closed.get();
    }

    private void watch() {
        try {
            while (System.in.read() >= 0) {
                onNudge.run();
            }
        } catch (IOException e) {
            // treated as the end
        }
        closed.set(true);
    }
}
