package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Contract of fairness for stores without a queue: a process whose lone thread wants a lock that another process passes on among
 * its threads without end finds it free after a few attempts, and does not depend on an attempt that falls between a release and
 * the next acquire.
 */
@Timeout(300)
public abstract class FairTurnsContract extends AbilityContract {

    private static final int BUSY_THREADS = 6;
    private static final long WORK_NANOS = 60_000_000;
    private static final int TURNS = 6;

    /** By luck alone it would be some 15. */
    private static final int ATTEMPTS_FOR_A_TURN = 5;

    private static final LockOptions PATIENT = LockOptions.defaults().withMaxWait(Duration.ofMinutes(4));

    /** Creates the contract; called by test engines. */
    protected FairTurnsContract() {}

    @Test
    @Tag("L7")
    void aLoneThreadHasItsTurnsBesideABusyProcess() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        List<FutureTask<Void>> busy = new ArrayList<>();
        try (Locks here = Locks.over(backend);
                Locks elsewhere = Locks.builder(fixture().open())
                        .listener(event -> {
                            if (event instanceof LockEvent.Acquired acquired) {
                                attempts.addAndGet(acquired.attempts());
                            }
                        })
                        .build()) {
            for (int i = 0; i < BUSY_THREADS; i++) {
                FutureTask<Void> task = new FutureTask<>(() -> {
                    while (!done.get()) {
                        haveATurn(here);
                    }
                    return null;
                });
                busy.add(task);
                new Thread(task).start();
            }
            try {
                for (int i = 0; i < TURNS; i++) {
                    haveATurn(elsewhere);
                }
            } finally {
                done.set(true);
                for (FutureTask<Void> task : busy) {
                    task.get(60, TimeUnit.SECONDS);
                }
            }
        }
        assertThat(attempts.get()).as("attempts for " + TURNS + " turns").isLessThan(ATTEMPTS_FOR_A_TURN * TURNS);
    }

    private static void haveATurn(Locks locks) throws InterruptedException {
        try (Lease lease = locks.acquire(KEY.value(), PATIENT)) {
            LockSupport.parkNanos(WORK_NANOS);
            lease.ensureHeld();
        }
    }
}
