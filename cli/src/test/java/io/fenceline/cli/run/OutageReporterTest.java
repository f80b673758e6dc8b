package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutageReporterTest {

    private static final LockKey KEY = LockKey.of("k");

    private final FaultScript script = new FaultScript();
    private final StringWriter told = new StringWriter();
    private final List<BackendException> refusals = new ArrayList<>();
    private boolean shuttingDown;
    private final OutageReporter reporter = new OutageReporter(
            FaultyLockBackend.over(new MemoryLockBackend(), script),
            new ErrorOutput(new PrintWriter(told, true), () -> false),
            () -> shuttingDown,
            refusals::add);

    private void failToExtend() {
        script.next(BackendOperation.EXTEND, Fault.lostRequest());
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> reporter.extend(KEY, LockId.random(), Duration.ofSeconds(30)));
    }

    @Test
    void tellsEachOutageOnce() {
        failToExtend();
        failToExtend();
        assertThat(told.toString()).hasLineCount(1).contains("the store is failing; retrying until it answers");

        reporter.lookup(KEY);
        failToExtend();
        assertThat(told.toString()).hasLineCount(2);
    }

    private void refuseToAcquire() {
        script.next(
                BackendOperation.ACQUIRE,
                new Fault(Duration.ZERO, Fault.Loss.REQUEST, Duration.ZERO, ErrorCode.AUTH_FAILED, Effect.NONE));
        assertThatExceptionOfType(BackendException.class).isThrownBy(this::acquire);
    }

    private Acquisition acquire() {
        return reporter.acquire(AcquireRequest.of(KEY, LockId.random(), Duration.ofSeconds(30), Holder.of("alice")));
    }

    @Test
    void endsTheRunByARefusalBeforeTheFirstAnswer() {
        refuseToAcquire();
        assertThat(refusals).hasSize(1);
        assertThat(told.toString()).isEmpty();
    }

    @Test
    void tellsOfALaterRefusalAsOfAnOutage() {
        acquire();
        refuseToAcquire();
        assertThat(refusals).isEmpty();
        assertThat(told.toString()).contains("retrying until it answers");
    }

    @Test
    void tellsOnceOfClaimsThatFailWhileTheLockIsGranted() {
        reporter.claim(() -> {});
        for (int term = 0; term < 3; term++) {
            reporter.lookup(KEY);
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> reporter.claim(() -> {
                        throw new BackendException(ErrorCode.AUTH_FAILED, Effect.NONE, "no right", null);
                    }));
        }
        assertThat(told.toString()).hasLineCount(1);
        assertThat(refusals).isEmpty();
    }

    @Test
    void tellsNothingWhileTheCommandEnds() {
        shuttingDown = true;
        failToExtend();
        assertThat(told.toString()).isEmpty();
    }
}
