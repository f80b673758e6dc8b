package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageReporterTest {

    private static final LockKey KEY = LockKey.of("k");

    private final FaultScript script = new FaultScript();
    private final StringWriter told = new StringWriter();
    private boolean shuttingDown;
    private final OutageReporter reporter = new OutageReporter(
            FaultyLockBackend.over(new MemoryLockBackend(), script),
            new ErrorOutput(new PrintWriter(told, true), () -> false),
            () -> shuttingDown);

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

    @Test
    void tellsNothingWhileTheCommandEnds() {
        shuttingDown = true;
        failToExtend();
        assertThat(told.toString()).isEmpty();
    }
}
