package io.fenceline.cli.output;

import io.fenceline.BackendException;
import io.fenceline.LockException;
import io.fenceline.guard.RefusedWriteException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.BooleanSupplier;

/** Prints errors: one line on standard error, and the stack trace if {@code --debug} asks for it. */
public final class ErrorOutput {

    private final PrintWriter errors;
    private final BooleanSupplier withStackTraces;

    public ErrorOutput(PrintWriter errors, BooleanSupplier withStackTraces) {
        this.errors = errors;
        this.withStackTraces = withStackTraces;
    }

    public void print(String message) {
        errors.println("fenceline: " + Printable.of(message));
    }

    public void print(String message, Throwable e) {
        print(message);
        trace(e);
    }

    /** Prints the stack trace of a failure that a command tells in its result, if it is asked for. */
    public void trace(Throwable e) {
        if (withStackTraces.getAsBoolean()) {
            e.printStackTrace(errors);
        }
    }

    /** Prints the first failure of an outage during which the command retries for up to {@code limit}. */
    public void outage(Duration limit, BackendException e) {
        String end = LocalTime.now(ZoneId.systemDefault()).plus(limit).format(DateTimeFormatter.ofPattern("HH:mm:ss"));
        print(
                "the store is failing; retrying for up to " + DurationText.of(limit) + ", until " + end + ": "
                        + e.getMessage(),
                e);
    }

    /** Prints why a command failed and returns its exit code. */
    public int failure(Exception e) {
        if (e instanceof InterruptedException) {
            return ExitCode.INTERRUPTED; // by a shutdown, which needs no explanation
        }
        if (e instanceof CommandFailure failure) {
            if (failure.exitCode() == ExitCode.OK) {
                return ExitCode.OK; // the user calls it a success (-E 0), and cron mails what is printed
            }
            return failure(failure.exitCode(), "", e);
        }
        if (e instanceof RefusedWriteException) {
            return failure(ExitCode.TOKEN_REFUSED, "", e);
        }
        if (e instanceof LockException failure) {
            return failure(ExitCode.of(failure), "", e);
        }
        if (e instanceof IllegalArgumentException) {
            return failure(ExitCode.USAGE, "", e);
        }
        if (e instanceof IOException || e instanceof UncheckedIOException) {
            return failure(ExitCode.SYSTEM, "; is the disk full, or the temporary folder read-only?", e);
        }
        return internalError(e);
    }

    /** Prints an unexpected failure and returns its exit code. */
    public int internalError(Throwable e) {
        print("internal error: " + e + "; run the command with --debug and report its output", e);
        return ExitCode.INTERNAL;
    }

    private int failure(int exitCode, String remedy, Exception e) {
        print(e.getMessage() + remedy, e);
        return exitCode;
    }
}
