package io.fenceline.engine;

import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a holder may count on while the backend takes long to answer an extension. Found by the simulation. */
class SlowExtensionTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final Bench bench = Bench.polling();

    @BeforeEach
    void answerExtensionsLate() {
        bench.faults.next(BackendOperation.EXTEND, Fault.none().withDelayAfter(TEN_SECONDS));
    }

    @Test
    void leavesTheOldDeadlineUntilTheReplyComes() throws Exception {
        Lease lease = bench.acquire(OPTIONS.withoutRenewal());
        bench.time.advance(Duration.ofSeconds(20));
        Background<?> extension = extend(lease, TTL);

        bench.time.advance(Duration.ofSeconds(8));
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(500));

        bench.pass(Duration.ofMillis(500));
        assertThat(lease.lost().toCompletableFuture()).isDone();
        bench.time.advance(TEN_SECONDS);
        assertThat(extension.failure()).isInstanceOf(LeaseLostException.class);
        assertThat(bench.isFree()).as("what came too late is released").isTrue();
    }

    @Test
    void neverShortensALeaseThatIsStillRunning() throws Exception {
        Lease lease = bench.acquire(OPTIONS.withoutRenewal());
        Background<?> extension = extend(lease, Duration.ofSeconds(3));

        bench.time.advance(TEN_SECONDS);
        extension.result();

        assertThat(lease.remaining()).isEqualTo(TTL.minus(Bench.MARGIN).minus(TEN_SECONDS));
    }

    @Test
    void signalsALossThoughTheRenewalOfAnotherLeaseIsUnderWay() throws Exception {
        bench.acquire();
        Lease other = bench.locks
                .tryAcquire("other", OPTIONS.withTtl(Duration.ofSeconds(11)).withoutRenewal())
                .orElseThrow();
        bench.time.advance(Duration.ofSeconds(11));

        Background<?> steps = Background.start(() -> bench.locks.runDueSteps());
        bench.time.awaitParked(1);

        assertThat(other.lost().toCompletableFuture()).isDone();
        bench.time.advance(TEN_SECONDS);
        steps.result();
    }

    @Test
    void isReportedWhileARenewalHangs() throws Exception {
        Lease lease = bench.acquire();
        bench.time.advance(TTL.dividedBy(3));
        Background<?> renewal = Background.start(() -> bench.locks.runDueSteps());
        bench.time.awaitParked(1);
        Duration quarter = lease.remaining().dividedBy(4);

        bench.time.advance(quarter.minusMillis(1));
        bench.locks.runDueSteps();
        assertThat(failures()).isEmpty();
        bench.time.advance(Duration.ofMillis(1));
        bench.locks.runDueSteps();
        bench.time.advance(Duration.ofSeconds(1));
        bench.locks.runDueSteps();

        assertThat(failures()).as("once").hasSize(1).first().satisfies(failure -> {
            assertThat(failure.error()).hasMessageContaining("the store cannot be reached");
            assertThat(failure.remaining()).isEqualTo(quarter.multipliedBy(3));
        });
        bench.time.advance(TEN_SECONDS);
        renewal.result();
        assertThat(lease.isHeld()).isTrue();
    }

    private List<LockEvent.RenewalFailed> failures() {
        return bench.heard.stream()
                .filter(LockEvent.RenewalFailed.class::isInstance)
                .map(LockEvent.RenewalFailed.class::cast)
                .toList();
    }

    private Background<?> extend(Lease lease, Duration ttl) {
        Background<?> extension = Background.start(() -> {
            lease.extend(ttl);
            return true;
        });
        bench.time.awaitParked(1);
        return extension;
    }
}
