package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutageLimitTest {

    private final FaultScript script = new FaultScript();
    private final List<BackendException> told = new ArrayList<>();
    private long now;
    private final OutageLimit limited = new OutageLimit(
            FaultyLockBackend.over(new MemoryLockBackend(), script), Duration.ofSeconds(30), () -> now, told::add);

    private Acquisition attempt() {
        return limited.acquire(
                AcquireRequest.of(LockKey.of("k"), LockId.random(), Duration.ofSeconds(30), Holder.of("me")));
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void givesUpWhenEveryAttemptFailedForTheWholeLimit() {
        script.always(BackendOperation.ACQUIRE, Fault.lostRequest());
        assertThatThrownBy(this::attempt).isInstanceOf(BackendException.class);
        pass(Duration.ofSeconds(29));
        assertThatThrownBy(this::attempt).isInstanceOf(BackendException.class);
        pass(Duration.ofSeconds(1));
        assertThatThrownBy(this::attempt)
                .isInstanceOfSatisfying(
                        CommandFailure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.STORE_TIMEOUT))
                .hasMessageStartingWith("gave up: the store has been failing for 30.0s: ");
        assertThat(told).as("one line for the outage").hasSize(1);
    }

    @Test
    void beginsAnewAfterAnAnswer() {
        script.next(BackendOperation.ACQUIRE, Fault.lostRequest())
                .next(BackendOperation.ACQUIRE, Fault.none())
                .next(BackendOperation.ACQUIRE, Fault.lostRequest());
        assertThatThrownBy(this::attempt).isInstanceOf(BackendException.class);
        pass(Duration.ofSeconds(20));
        assertThat(attempt()).isInstanceOf(Acquisition.Granted.class);
        pass(Duration.ofSeconds(20));
        assertThatThrownBy(this::attempt).isInstanceOf(BackendException.class);
        assertThat(told).as("a line for each outage").hasSize(2);
    }
}
