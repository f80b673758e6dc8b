package io.fenceline.cli.process;

/** A running child and what it started: forwards signals to them, and ends them at a deadline. */
sealed interface Leash permits WatchedSession, Descendants {

    /** The child itself. */
    Process process();

    /** Sends the signal of this name ({@code "TERM"}, without SIG) to the child and what it started. */
    void signal(String name);

    /** Replaces the deadline. */
    void deadline(Deadline deadline);

    /**
     * Called when the child has ended: if it was told to by its deadline, waits until what it started has ended or
     * was killed as well.
     */
    void awaitOthers() throws InterruptedException;

    /** Lets go of a child that has ended: from now on nothing is signalled, and nothing of ours is left. */
    void release();
}
