package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.INSTANT;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Answer;
import io.fenceline.spi.BulkExtension.Extension;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many extensions in one request, beside single ones and beside what keeps rows locked. */
@Timeout(120)
class PostgresBulkExtensionTest {

    private static final Duration TTL = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration LONGER = Duration.ofHours(1);

    /** Longer than a test may take: nothing waits as long as a single request may. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final PostgresServer server = TestServer.shared();
    private final FaultProxy network = FaultProxy.to("127.0.0.1", server.port());
    private final String schema = TestServer.borrowSchema();
    private final String table = schema + ".fenceline_lock";
    private final HikariDataSource pool = new HikariDataSource();
    private LockBackend backend;
    private BulkExtension bulk;

    private void open(String level) {
        pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + network.port() + "/postgres?user=postgres");
        pool.setConnectionInitSql("SET default_transaction_isolation = '" + level + "'");
        pool.setMinimumIdle(0);
        backend =
                JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(table).withAnswerLimit(LIMIT));
        bulk = backend.ability(BulkExtension.class).orElseThrow();
    }

    @AfterEach
    void close() {
        backend.close();
        pool.close();
        network.close();
        TestServer.giveBack(schema);
    }

    /** Each kind of lease twice: one is extended by itself, the other in the same request as all others. */
    @ParameterizedTest
    @Tag("G6")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void doWhatASingleExtensionDoes(String level) {
        open(level);
        List<Grant> alone = leasesOfEachKind("alone");
        List<Grant> together = leasesOfEachKind("together");

        List<Boolean> aloneExtended = alone.stream()
                .map(grant -> backend.extend(grant.key(), grant.lockId(), LONG).isPresent())
                .toList();
        List<Optional<Instant>> ends = ends(together);

        assertThat(ends.stream().map(Optional::isPresent))
                .containsExactlyElementsOf(aloneExtended)
                .containsExactly(true, true, false, false, false, false);
        for (int i = 0; i < ends.size(); i++) {
            Optional<Instant> stored = end(together.get(i));
            assertThat(stored).isEqualTo(ends.get(i));
            stored.ifPresent(
                    end -> assertThat(end).isAfter(together.get(0).acquiredAt().plus(LONG)));
        }
        assertThat(ends.get(1))
                .as("the end of a lease that runs longer")
                .contains(together.get(1).expiresAt());
        assertThat(backend.lookup(together.get(3).key()).orElseThrow().expiresAt())
                .as("the end of another's lease")
                .isEqualTo(together.get(3).expiresAt());
        assertThat(bulk.extendAll(List.of())).isEmpty();
    }

    /** Running, running longer than the extension, expired, another's, released, of an unknown key. */
    private List<Grant> leasesOfEachKind(String name) {
        Grant expired = take(LockKey.of(name + " expired"), Duration.ofMillis(1));
        await().until(() -> !backend.isLocked(expired.key()));
        Grant anothers = take(LockKey.of(name + " another's"), TTL);
        Grant released = take(LockKey.of(name + " released"), TTL);
        backend.release(released.key(), released.lockId());
        return List.of(
                take(LockKey.of(name + " running"), TTL),
                take(LockKey.of(name + " longer"), LONGER),
                expired,
                under(LockId.random(), anothers),
                released,
                new Grant(
                        LockKey.of(name + " unknown"),
                        LockId.random(),
                        anothers.holder(),
                        anothers.token(),
                        1,
                        anothers.acquiredAt(),
                        anothers.expiresAt()));
    }

    private static Grant under(LockId id, Grant grant) {
        return new Grant(grant.key(), id, grant.holder(), grant.token(), 1, grant.acquiredAt(), grant.expiresAt());
    }

    @Test
    void areOneRoundTripForAHundred() {
        open("read committed");
        List<Grant> all = take(100);
        IntStream.range(0, 10).forEach(i -> ends(all));

        assertThat(network.roundTrips().countDuring(() -> assertThat(ends(all)).doesNotContain(Optional.empty())))
                .isOne();
    }

    /** The answer of all would come too late for the leases that were extended. */
    @ParameterizedTest
    @Tag("G11")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void waitOnlyBrieflyForARowThatStaysLocked(String level) throws SQLException {
        open(level);
        List<Grant> leases = take(5);
        try (Connection other = TestServer.dataSource(server).getConnection()) {
            lock(other, leases.get(2));
            lock(other, leases.get(3));

            backend.release(leases.get(4).key(), leases.get(4).lockId());

            List<Answer> answers = bulk.extendAll(extensions(leases));

            for (int i : new int[] {0, 1}) {
                assertThat(answers.get(i).end())
                        .isEqualTo(end(leases.get(i)))
                        .get(INSTANT)
                        .isAfter(leases.get(i).expiresAt());
            }
            for (int i : new int[] {2, 3}) {
                BackendException failure = catchThrowableOfType(
                        BackendException.class, () -> answers.get(i).end());
                assertThat(failure.code()).isEqualTo(ErrorCode.ABORTED);
                assertThat(failure.effect()).isEqualTo(Effect.NONE);
            }
            assertThat(answers.get(4).end()).isEmpty();
            other.rollback();
        }
        assertThat(ends(leases.subList(0, 4))).doesNotContain(Optional.empty());
    }

    @Test
    void ofSeveralThreadsNeverWaitForEachOtherInACircle() throws Exception {
        open("read committed");
        List<Grant> all = new ArrayList<>(take(50));
        inThreads(25, thread -> {
            List<Grant> mine = new ArrayList<>(all);
            if (thread % 2 == 0) {
                Collections.reverse(mine);
            }
            return () -> endsAgain(mine);
        });
    }

    @Test
    void ofDifferentRowsDoNotConflictWhereTransactionsAreSerializable() throws Exception {
        open("serializable");
        List<Grant> all = take(100);
        inThreads(50, thread -> {
            List<Grant> mine = all.subList(25 * thread, 25 * thread + 25);
            return () -> ends(mine);
        });
    }

    private static void inThreads(int rounds, IntFunction<Callable<List<Optional<Instant>>>> calls) throws Exception {
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Callable<List<Optional<Instant>>> call = calls.apply(i);
            FutureTask<Void> thread = new FutureTask<>(() -> {
                for (int round = 0; round < rounds; round++) {
                    assertThat(call.call()).doesNotContain(Optional.empty());
                }
                return null;
            });
            threads.add(thread);
            new Thread(thread).start();
        }
        for (FutureTask<Void> thread : threads) {
            thread.get();
        }
    }

    /** On a busy machine the others may keep their rows locked for longer than a call waits. */
    private List<Optional<Instant>> endsAgain(List<Grant> leases) {
        while (true) {
            try {
                return ends(leases);
            } catch (BackendException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.ABORTED);
            }
        }
    }

    private List<Optional<Instant>> ends(List<Grant> leases) {
        return bulk.extendAll(extensions(leases)).stream().map(Answer::end).toList();
    }

    /** More locked rows than the pool has connections: waiting for them must not take these from the other leases. */
    @Test
    @Tag("L3")
    void aRowThatStaysLockedCostsNoOtherLease() throws SQLException {
        pool.setMaximumPoolSize(2);
        open("read committed");
        try (Locks locks = Locks.over(backend);
                Connection other = TestServer.dataSource(server).getConnection()) {
            List<Lease> leases = IntStream.range(0, 12)
                    .mapToObj(i -> locks.tryAcquire(
                                    "invoice:" + i, LockOptions.defaults().withTtl(SHORT))
                            .orElseThrow())
                    .toList();
            for (Lease lease : leases.subList(0, 8)) {
                lock(other, lease.grant());
            }

            await().until(() -> leases.subList(0, 8).stream().noneMatch(Lease::isHeld));

            assertThat(leases.stream().filter(Lease::isHeld)).containsExactlyElementsOf(leases.subList(8, 12));
            other.rollback();
        }
    }

    private void lock(Connection other, Grant lease) throws SQLException {
        other.setAutoCommit(false);
        try (PreparedStatement statement =
                other.prepareStatement("SELECT FROM " + table + " WHERE lock_key = ? FOR UPDATE")) {
            statement.setString(1, lease.key().value());
            statement.execute();
        }
    }

    private List<Grant> take(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> take(LockKey.of("invoice:" + i), TTL))
                .toList();
    }

    private Grant take(LockKey key, Duration ttl) {
        return ((Granted) backend.acquire(AcquireRequest.of(key, LockId.random(), ttl, Holder.of("me")))).grant();
    }

    private static List<Extension> extensions(List<Grant> leases) {
        return leases.stream()
                .map(lease -> new Extension(lease.key(), lease.lockId(), LONG))
                .toList();
    }

    private Optional<Instant> end(Grant lease) {
        return backend.lookup(lease.lockId()).map(record -> record.raw().expiresAt());
    }
}
