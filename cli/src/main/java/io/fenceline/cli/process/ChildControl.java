package io.fenceline.cli.process;

/** Controls a running child and its descendants: sends signals, and ends them at a deadline. */
sealed interface ChildControl permits WatchedSession, UnwatchedTree {

    /** The child itself. */
    Process process();

    /** Sends a signal, named without SIG, to the child and its descendants. */
    void signal(String name);

    /** Replaces the deadline. */
    void deadline(ChildDeadline deadline);

    /** Called when the child has ended: if its deadline had passed, waits until its descendants have ended or were killed. */
    void awaitOthers() throws InterruptedException;

    /** Called last: sends no signal from now on, and removes all files. */
    void release();
}
