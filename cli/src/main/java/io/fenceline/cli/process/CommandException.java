package io.fenceline.cli.process;

/** A command cannot be run; the message says why in one line, and {@link #exitStatus} is the shell's for it. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The exit status of a command that does not exist. */
    public static final int NOT_FOUND = 127;

    /** The exit status of a command that exists and may not be executed. */
    public static final int NOT_EXECUTABLE = 126;

    private final int exitStatus;

    CommandException(int exitStatus, String message) {
        super(message);
        this.exitStatus = exitStatus;
    }

    /** {@link #NOT_FOUND} or {@link #NOT_EXECUTABLE}. */
    public int exitStatus() {
        return exitStatus;
    }
}
