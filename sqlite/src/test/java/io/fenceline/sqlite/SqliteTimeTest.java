package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock that ends a store's leases. */
class SqliteTimeTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration TTL = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final ManualMachine machine = new ManualMachine();
    private SqliteLockBackend backend;

    @BeforeEach
    void open() {
        backend = SqliteLockBackend.open(folder.resolve("locks.db"), SqliteOptions.defaults(), machine);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    @Tag("G1")
    void settingTheWallClockFreesNoLockAndHoldsNone() {
        Grant grant = take();

        machine.stepWallClock(Duration.ofDays(1));
        assertThat(backend.acquire(request())).isInstanceOf(Contended.class);
        assertThat(backend.extend(KEY, grant.lockId(), TTL)).isPresent();

        machine.stepWallClock(Duration.ofDays(-100));
        machine.pass(TTL);
        assertThat(backend.isLocked(KEY)).isFalse();
        take();
    }

    @Test
    @Tag("G2")
    void aRestartOfTheMachineKeepsLeasesAndTokens() {
        Grant grant = take();

        machine.reboot();

        assertThat(((Contended) backend.acquire(request())).remaining()).isEqualTo(TTL);
        machine.pass(TTL);
        assertThat(take().token()).isGreaterThan(grant.token());
    }

    @Test
    @Tag("G6")
    void aLeaseFromBeforeARestartCanBeExtendedAndReleased() {
        Grant grant = take();
        machine.reboot();

        assertThat(backend.extend(KEY, grant.lockId(), TTL.multipliedBy(2))).isPresent();
        machine.pass(TTL);
        assertThat(backend.isLocked(KEY)).isTrue();
        assertThat(backend.release(KEY, grant.lockId())).isTrue();
    }

    private Grant take() {
        return ((Granted) backend.acquire(request())).grant();
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), TTL, Holder.of("test"));
    }
}
