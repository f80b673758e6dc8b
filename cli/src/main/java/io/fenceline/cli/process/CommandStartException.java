package io.fenceline.cli.process;

/** A program is not found or not executable; {@link #exitStatus} is what a shell would return. */
public final class CommandStartException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The exit status of a command that is not found. */
    public static final int NOT_FOUND = 127;

    /** The exit status of a command that is not executable. */
    public static final int NOT_EXECUTABLE = 126;

    private final int exitStatus;

    CommandStartException(int exitStatus, String message) {
        super(message);
        this.exitStatus = exitStatus;
    }

    /** {@link #NOT_FOUND} or {@link #NOT_EXECUTABLE}. */
    public int exitStatus() {
        return exitStatus;
    }
}
