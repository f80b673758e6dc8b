package io.fenceline.examples.textbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Client A stops for longer than its lease, as in a long garbage collection; client B takes over; A wakes up. */
class TextbookTest {

    private static final LockOptions FIVE_SECONDS =
            LockOptions.defaults().withTtl(Duration.ofSeconds(5)).withoutRenewal();

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend lockService = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final UnfencedStore unfenced = new UnfencedStore();
    private final FencedStore fenced = new FencedStore();
    private Locks locks;

    @BeforeEach
    void openLocks() {
        locks = Locks.builder(lockService).time(time.source()).build();
    }

    @AfterEach
    void closeLocks() {
        locks.close();
        lockService.close();
    }

    @Test
    void withoutAFenceTheStaleWriteOverwritesTheNewHoldersWork() throws InterruptedException {
        locks.acquire("lock", FIVE_SECONDS);
        unfenced.write("shared", "written by A");

        time.advance(Duration.ofSeconds(6)); // A is paused
        locks.acquire("lock", FIVE_SECONDS);
        unfenced.write("shared", "written by B");
        unfenced.write("shared", "stale write of A");

        assertThat(unfenced.read("shared")).contains("stale write of A");
    }

    @Test
    void withAFenceTheStaleWriteIsRefused() throws InterruptedException {
        Lease a = locks.acquire("lock", FIVE_SECONDS);
        fenced.write("shared", "written by A", a.stamp());

        time.advance(Duration.ofSeconds(6));
        Lease b = locks.acquire("lock", FIVE_SECONDS);
        fenced.write("shared", "written by B", b.stamp());

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fenced.write("shared", "stale write of A", a.stamp()))
                .returns(a.token(), refusal -> refusal.presented().token())
                .returns(b.token(), StaleTokenException::highest);
        assertThat(fenced.read("shared")).contains("written by B");
    }

    /** What a fence alone cannot do: B has read, but the store has not seen B yet. */
    @Test
    void beforeTheNewHolderWritesTheFenceDoesNotKnowIt() throws InterruptedException {
        Lease a = locks.acquire("lock", FIVE_SECONDS);
        fenced.write("shared", "1", a.stamp());

        time.advance(Duration.ofSeconds(6));
        Lease b = locks.acquire("lock", FIVE_SECONDS);
        String readByB = fenced.read("shared").orElseThrow();
        fenced.write("shared", "2, late, by A", a.stamp());
        fenced.write("shared", readByB + " + 1", b.stamp());

        assertThat(fenced.read("shared")).as("A's accepted write is lost").contains("1 + 1");
    }

    @Test
    void aClaimBeforeTheFirstReadClosesThatWindow() throws InterruptedException {
        Lease a = locks.acquire("lock", FIVE_SECONDS);
        fenced.write("shared", "1", a.stamp());

        time.advance(Duration.ofSeconds(6));
        Lease b = locks.acquire("lock", FIVE_SECONDS);
        fenced.guard().claim("shared", b.stamp());
        String readByB = fenced.read("shared").orElseThrow();
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fenced.write("shared", "2, late, by A", a.stamp()));
        fenced.write("shared", readByB + " + 1", b.stamp());

        assertThat(fenced.read("shared")).contains("1 + 1");
    }

    @Test
    void resourcesKeepTheirTokensApart() throws InterruptedException {
        Lease a = locks.acquire("lock", FIVE_SECONDS);
        time.advance(Duration.ofSeconds(6));
        Lease b = locks.acquire("lock", FIVE_SECONDS);
        fenced.write("one", "of B", b.stamp());

        fenced.write("two", "of A: nobody newer was here", a.stamp());

        assertThat(fenced.read("two")).isPresent();
    }
}
