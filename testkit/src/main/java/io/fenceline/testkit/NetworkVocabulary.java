package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Named;

/** The words of the contracts about networks. */
abstract class NetworkVocabulary extends ContractVocabulary {

    @Override
    abstract ProxiedFixture fixture();

    final FaultProxy proxy() {
        return fixture().proxy();
    }

    static List<Named<Consumer<LockBackend>>> operations() {
        return HandleContract.operations().toList();
    }

    /** Uses a backend, so that it has what it needs for the next call: a connection, a prepared statement, a script. */
    static void warm(LockBackend backend) {
        LockId lockId = LockId.random();
        Grant grant = granted(backend.acquire(request(OTHER_KEY, lockId, LONG_TTL)));
        backend.lookup(OTHER_KEY);
        backend.lookup(lockId);
        backend.isLocked(OTHER_KEY);
        backend.extend(OTHER_KEY, lockId, LONG_TTL);
        backend.releaseAfter(OTHER_KEY, lockId, LONG_TTL);
        assertThat(backend.release(OTHER_KEY, grant.lockId())).isTrue();
    }

    /** A cycle of everything, right in each answer. */
    final void assertWorks() {
        Grant grant = take(KEY);
        isRefused(KEY);
        assertThat(backend.isLocked(KEY)).isTrue();
        assertHeldBy(grant);
        assertThat(backend.lookup(grant.lockId())).isPresent();
        assertThat(extend(grant, LONG_TTL)).isTrue();
        assertThat(release(grant)).isTrue();
        assertThat(release(grant)).isFalse();
        assertFree(KEY);
    }

    /** A failure that the caller can tell from a bug, and that it may try to outlive. */
    static BackendException outageOf(ThrowingCallable call) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).as("failure of the network").isNotNull();
        assertOutage(failure);
        return failure;
    }

    static void assertOutage(BackendException failure) {
        assertThat(failure.code())
                .as(failure.toString())
                .isIn(ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.NETWORK_TIMEOUT);
    }

    /** Starts a call on a thread of its own. */
    static FutureTask<String> start(Runnable call) {
        FutureTask<String> task = new FutureTask<>(call, "answered");
        Thread thread = new Thread(task, "call into a silent network");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Returns how a call failed, which has to end by the backend's own limit. */
    final BackendException failureInTime(String name, FutureTask<String> call) throws InterruptedException {
        Duration limit = fixture().longestAnswer();
        try {
            call.get(limit.multipliedBy(3).plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(name + " has not returned, though its limit is " + limit, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BackendException failure) {
                return failure;
            }
            throw new AssertionError(name + " failed with " + e.getCause(), e);
        }
        throw new AssertionError(name + " returned as if it had been answered");
    }
}
