package io.fenceline.cli.output;

import org.jspecify.annotations.Nullable;

/** Ends a command with an exit code and a one-line message: what happened and what to do. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    public CommandFailure(int exitCode, String message) {
        this(exitCode, message, null);
    }

    public int exitCode() {
        return exitCode;
    }
}
