package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.LockBackend;
import org.junit.jupiter.api.Test;

class OpenedLocksTest {

    @Test
    void closesTheBackendThatItOpened() throws InterruptedException {
        Locks locks = Locks.open("memory:");
        locks.acquire("job").close();
        assertThat(locks.lookup("job")).isEmpty();
        locks.close();
        locks.close();
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> locks.lookup("job"));
    }

    @Test
    void leavesTheBackendOpenThatItWasGiven() {
        try (LockBackend backend = new MemoryLockBackend()) {
            Locks.over(backend).close();
            assertThat(backend.lookup(LockKey.of("job"))).isEmpty();
        }
    }

    @Test
    void aLeaseThatIsClosedAfterTheLocksThrowsNothing() throws InterruptedException {
        Locks locks = Locks.open("memory:");
        Lease lease = locks.acquire("job");
        locks.close();
        assertThat(lease.isHeld()).isFalse();
        lease.close();
    }

    @Test
    void anUnknownSchemeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Locks.open("nosuch:store"))
                .withMessageContaining("memory:");
    }
}
