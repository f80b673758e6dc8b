package io.fenceline.jdbc.syncguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls of one side, ours or SyncGuard's, while the other has the row in hand. */
class SyncGuardWaitTest extends SharedStore {

    /** SyncGuard's own acquire overlooks it. */
    @Test
    @Tag("G1")
    void anExtensionOfTheirsThatIsUnderWayIsWaitedForAndSeen() throws Exception {
        tables.stopClock();
        LockId lockId = LockId.random();
        theirs.acquire(KEY.value(), lockId.text(), 10_000);
        tables.passTime(Duration.ofMillis(10_999));
        try (Connection connection = tables.pool().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(theirs.extendedIn(connection, lockId.text(), 60_000)).isTrue();
            tables.passTime(Duration.ofMillis(1));

            CompletableFuture<Acquisition> answer = OnNewThread.supply(() -> acquire(KEY, LockId.random()));
            awaitWaiter();
            connection.commit();
            connection.setAutoCommit(true);

            assertThat(answer.get()).isInstanceOf(Contended.class);
        }
        assertThat(rows("SELECT fence FROM syncguard_fence_counters")).containsExactly(Map.of("fence", 1L));
    }

    @Test
    @Tag("G1")
    void anExtensionOfOursWaitsForAnAcquireOfTheirsThatIsUnderWay() throws Exception {
        Grant grant = take(KEY);
        try (Connection connection = tables.pool().getConnection()) {
            connection.setAutoCommit(false);
            theirs.lockKey(connection, KEY.value());

            CompletableFuture<Boolean> extended = OnNewThread.supply(
                    () -> ours.extend(KEY, grant.lockId(), TTL).isPresent());
            awaitWaiter();
            connection.commit();
            connection.setAutoCommit(true);

            assertThat(extended.get()).isTrue();
        }
    }

    /** SyncGuard's leases run from the beginning of the transaction and may be born expired. */
    @Test
    @Tag("G1")
    void aLeaseRunsFromWhenTheLockWasObtainedHoweverLongThatTook() throws Exception {
        tables.stopClock();
        try (Connection connection = tables.pool().getConnection()) {
            connection.setAutoCommit(false);
            theirs.lockKey(connection, KEY.value());

            CompletableFuture<Acquisition> answer = OnNewThread.supply(() -> acquire(KEY, LockId.random()));
            awaitWaiter();
            tables.passTime(TTL.multipliedBy(2));
            connection.commit();
            connection.setAutoCommit(true);

            assertThat(answer.get()).isInstanceOf(Granted.class);
        }
        assertThat(ours.lookup(KEY).orElseThrow().remaining()).isEqualTo(TTL.plus(SyncGuardFixture.GRACE));
    }

    /** A release of SyncGuard's goes by the time when it began, so it also ends a lease that died meanwhile. */
    @Test
    @Tag("G1")
    void aLeaseRunsFromWhenARowWasGoneThatSomebodyWasDeleting() throws Exception {
        tables.stopClock();
        take(KEY);
        tables.passTime(TTL.plus(SyncGuardFixture.GRACE));
        try (Connection connection = tables.pool().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("DELETE FROM syncguard_locks");

            CompletableFuture<Acquisition> answer = OnNewThread.supply(() -> acquire(KEY, LockId.random()));
            awaitWaiter();
            tables.passTime(TTL.multipliedBy(2));
            connection.commit();
            connection.setAutoCommit(true);

            assertThat(answer.get()).isInstanceOf(Granted.class);
        }
        assertThat(ours.lookup(KEY).orElseThrow().remaining()).isEqualTo(TTL.plus(SyncGuardFixture.GRACE));
    }

    @Test
    @Tag("G11")
    void aPeerThatStopsInItsAcquireIsNotWaitedForLong() throws Exception {
        LockBackend hasty =
                JdbcLockBackend.on(tables.pool(), SyncGuardFixture.options().withAnswerLimit(Duration.ofMillis(300)));
        Grant grant = take(KEY);
        try (Connection connection = tables.pool().getConnection()) {
            connection.setAutoCommit(false);
            theirs.lockKey(connection, KEY.value());

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> hasty.acquire(request(KEY, LockId.random())))
                    .returns(ErrorCode.ABORTED, BackendException::code)
                    .returns(Effect.NONE, BackendException::effect);
            assertThat(hasty.release(KEY, grant.lockId()))
                    .as("a release needs no advisory lock")
                    .isTrue();
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(hasty.acquire(request(KEY, LockId.random()))).isInstanceOf(Granted.class);
        hasty.close();
    }

    /** The second waits for the lock of the key, which the first has, and then for the row itself. */
    @Test
    @Tag("G10")
    @Tag("G11")
    void twoThatWaitForAPeerThatStoppedAtTheRowGiveUpBeforeTheirCallersDo() throws Exception {
        LockBackend hasty =
                JdbcLockBackend.on(tables.pool(), SyncGuardFixture.options().withAnswerLimit(Duration.ofSeconds(3)));
        Grant grant = take(KEY);
        try (Connection connection = tables.pool().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM syncguard_locks FOR UPDATE");

            CompletableFuture<?> first = OnNewThread.supply(() -> hasty.extend(KEY, grant.lockId(), TTL));
            awaitWaiter();
            CompletableFuture<?> second = OnNewThread.supply(() -> hasty.extend(KEY, grant.lockId(), TTL));

            for (CompletableFuture<?> waiter : List.of(first, second)) {
                assertThatExceptionOfType(CompletionException.class)
                        .isThrownBy(waiter::join)
                        .extracting(Throwable::getCause, InstanceOfAssertFactories.type(BackendException.class))
                        .returns(ErrorCode.ABORTED, BackendException::code)
                        .returns(Effect.NONE, BackendException::effect);
            }
            connection.rollback();
            connection.setAutoCommit(true);
        }
        hasty.close();
    }
}
