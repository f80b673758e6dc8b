package io.fenceline.cli;

import io.fenceline.BackendException;
import io.fenceline.LockException;
import io.fenceline.guard.RefusedWriteException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Prints errors: one line on standard error, with the stack trace only if that is wanted. */
final class Complaints {

    private final PrintWriter errors;
    private final BooleanSupplier withStackTraces;

    Complaints(PrintWriter errors, BooleanSupplier withStackTraces) {
        this.errors = errors;
        this.withStackTraces = withStackTraces;
    }

    void tell(String message) {
        errors.println("fenceline: " + Printable.of(message));
    }

    void tell(String message, Throwable e) {
        tell(message);
        if (withStackTraces.getAsBoolean()) {
            e.printStackTrace(errors);
        }
    }

    /** Tells of a failure after which the store is asked again for a while. */
    void outage(Duration patience, BackendException e) {
        tell("the store fails, and is asked again for up to " + DurationText.of(patience) + ": " + e.getMessage(), e);
    }

    /** Tells why a command failed and answers its exit code. */
    int failed(Exception e) {
        if (e instanceof InterruptedException) {
            return ExitCode.INTERRUPTED; // by a shutdown, which says for itself what it was about
        }
        if (e instanceof CommandFailure failure) {
            return failed(failure.exitCode(), "", e);
        }
        if (e instanceof RefusedWriteException) {
            return failed(ExitCode.TOKEN_REFUSED, "", e);
        }
        if (e instanceof LockException failure) {
            return failed(ExitCode.of(failure.code()), "", e);
        }
        if (e instanceof IllegalArgumentException) {
            return failed(ExitCode.USAGE, "", e);
        }
        if (e instanceof IOException || e instanceof UncheckedIOException) {
            return failed(ExitCode.SYSTEM, "; is the disk full, or the temporary folder not writable?", e);
        }
        return fault(e);
    }

    /** Tells of what should not happen and answers its exit code. */
    int fault(Throwable e) {
        tell("a fault in fenceline itself: " + e + "; run it with --debug and report what it prints", e);
        return ExitCode.INTERNAL;
    }

    private int failed(int exitCode, String remedy, Exception e) {
        tell(e.getMessage() + remedy, e);
        return exitCode;
    }
}
