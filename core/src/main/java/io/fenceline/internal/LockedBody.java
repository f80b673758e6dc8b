package io.fenceline.internal;

import io.fenceline.LeaseLostException;
import io.fenceline.LockCall;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListeners;
import org.jspecify.annotations.Nullable;

/** Runs the body of {@link io.fenceline.Locks#call} under a lease, and releases it. */
record LockedBody(LockListeners telemetry, HeldLease lease) {

    /** Runs the body; {@code interrupted} says whether it is interrupted when the lease is lost. */
    <T extends @Nullable Object, X extends Exception> T call(LockCall<T, X> body, boolean interrupted) throws X {
        T result;
        try {
            result = interrupted ? runInterruptibly(body) : runWithEvents(body);
        } catch (Throwable e) {
            lease.close();
            throw e;
        }
        lease.finish();
        return result;
    }

    /** Emits {@code BodyBegun} and {@code BodyEnded}. */
    private <T extends @Nullable Object, X extends Exception> T runWithEvents(LockCall<T, X> body) throws X {
        if (!telemetry.isOn()) {
            return body.call(lease);
        }
        telemetry.emit(new LockEvent.BodyBegun(lease.stamp()));
        Throwable error = null;
        try {
            return body.call(lease);
        } catch (Throwable e) {
            error = e;
            throw e;
        } finally {
            telemetry.emit(new LockEvent.BodyEnded(lease.stamp(), error));
        }
    }

    /** Interrupts the body when the lease is lost. Then it throws the loss, however the body ended. */
    private <T extends @Nullable Object, X extends Exception> T runInterruptibly(LockCall<T, X> body) throws X {
        LossWatchers.Interruption interruption = lease.interruptOnLoss();
        try {
            return runWithEvents(body);
        } catch (Throwable e) {
            if (interruption.end(e instanceof InterruptedException)) {
                LeaseLostException lost = lease.lossNow();
                lost.addSuppressed(e);
                throw lost;
            }
            throw e;
        } finally {
            interruption.end(false);
        }
    }
}
