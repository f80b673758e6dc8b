package io.fenceline.jdbc.guard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.telemetry.LockEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log whose leader changes: what its writers are told, and what its readers see. */
@Timeout(60)
class FencedStreamTest {

    /** What holds on every database. */
    abstract static class Everywhere {

        final List<LockEvent> events = new CopyOnWriteArrayList<>();
        final GuardPlace place = newPlace();
        final FencedStream streams =
                FencedStream.on(place.source(), place.options().withListeners(events::add));

        Everywhere() {
            streams.schema().installSchema();
            assertThat(streams.schema().schemaProblems()).isEmpty();
        }

        abstract GuardPlace newPlace();

        @AfterEach
        void close() {
            place.close();
        }

        @Test
        void refusesAnOlderTokenAndNamesBoth() {
            streams.append("orders", stamp(10), bytes("accepted"));

            StaleTokenException refusal = catchThrowableOfType(
                    StaleTokenException.class, () -> streams.append("orders", stamp(9), bytes("zombie")));

            assertThat(refusal).hasMessageContaining("000000000000009").hasMessageContaining("000000000000010");
            assertThat(texts("orders")).containsExactly("accepted");
            assertThat(events)
                    .filteredOn(LockEvent.StaleRefused.class::isInstance)
                    .hasSize(1);
        }

        /** The caller's transaction may have the pool's last connection. */
        @Test
        void asksForNoOtherConnectionThanTheCallers() throws SQLException {
            FencedStream ofAnExhaustedPool = FencedStream.on(
                    new BoundDataSource() {
                        @Override
                        public Connection getConnection() throws SQLException {
                            throw new SQLException("no connection is left");
                        }
                    },
                    place.options());
            try (Connection connection = place.source().getConnection()) {
                connection.setAutoCommit(false);
                ofAnExhaustedPool.append(connection, "orders", stamp(1), List.of(bytes("a")));
                connection.commit();
            }
            assertThat(texts("orders")).containsExactly("a");
        }

        @Test
        void appendsABatchAsOneAndReadsOnFromAPosition() {
            assertThat(streams.append("orders", stamp(1), List.of(bytes("a"), bytes("b"), bytes("c"))))
                    .isEqualTo(3);
            assertThat(streams.append("orders", stamp(2), bytes("d"))).isEqualTo(4);
            assertThat(streams.append("others", stamp(1), bytes("x"))).isEqualTo(1);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> streams.append("orders", stamp(1), List.of(bytes("e"), bytes("f"))));

            assertThat(streams.read("orders", 2, 2))
                    .extracting(entry ->
                            entry.position() + entry.text() + entry.token().value())
                    .containsExactly("2b1", "3c1");
            assertThat(streams.read("orders", 4, 10))
                    .extracting(entry ->
                            entry.position() + entry.text() + entry.token().value())
                    .containsExactly("4d2");
            assertThat(streams.read("orders", 5, 10)).isEmpty();
        }

        /** A reader that remembers position 3 would miss what came as 1. */
        @Test
        void goesOnCountingAfterAllWasPurged() {
            streams.append("orders", stamp(2), List.of(bytes("a"), bytes("b"), bytes("c")));

            assertThat(streams.purge("orders", stamp(2), 100)).isEqualTo(2);

            assertThat(texts("orders")).containsExactly("c");
            assertThat(streams.append("orders", stamp(2), bytes("d"))).isEqualTo(4);
            assertThat(streams.purge("orders", stamp(2), 4)).isEqualTo(1);
            assertThat(streams.purge("empty", stamp(2), 4)).isZero();
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> streams.purge("orders", stamp(1), 100));
        }

        @Test
        void joinsTheCallersTransaction() throws SQLException {
            try (Connection connection = place.begin()) {
                streams.append(connection, "orders", stamp(1), List.of(bytes("a")));
                streams.append(connection, "orders", stamp(1), List.of(bytes("b")));
                connection.rollback();
                streams.append(connection, "orders", stamp(1), List.of(bytes("c")));
                connection.commit();
            }
            assertThat(texts("orders")).containsExactly("c");
        }

        @Test
        void givesTwoWritersAtOnceNoOrderButThatOfTheirTokens() throws Exception {
            CompletableFuture<Void> old = appending(1);
            CompletableFuture<Void> young = appending(2);
            CompletableFuture.allOf(old, young).get(30, TimeUnit.SECONDS);

            List<StreamEntry> entries = streams.read("orders", 1, 1_000);
            assertThat(entries).extracting(StreamEntry::token).isSorted();
            assertThat(entries).filteredOn(entry -> entry.token().value() == 2).hasSize(20);
            assertThat(entries.get(entries.size() - 1).position()).isEqualTo(entries.size());
        }

        private CompletableFuture<Void> appending(long token) {
            return OnNewThread.run(() -> {
                for (int i = 0; i < 20; i++) {
                    try {
                        streams.append("orders", stamp(token), bytes("by " + token));
                    } catch (StaleTokenException superseded) {
                        assertThat(token).isEqualTo(1);
                        return;
                    }
                }
            });
        }

        /** The leader stops for longer than its lease, another takes over, and the first goes on. */
        @Test
        void aLeaderThatSleptThroughItsLeaseCannotAppendWhenItWakesUp() {
            try (LockBackend locks = new MemoryLockBackend()) {
                FenceStamp sleeper = takeOver(locks);
                streams.append("orders", sleeper, bytes("before the pause"));
                locks.ability(LockCatalog.class).orElseThrow().forceRelease(LockKey.of("lock"), Holder.of("time"));

                FenceStamp successor = takeOver(locks);
                assertThat(successor.token()).isGreaterThan(sleeper.token());
                streams.guard().claim("orders", successor);
                StaleTokenException refusal = catchThrowableOfType(
                        StaleTokenException.class, () -> streams.append("orders", sleeper, bytes("zombie")));

                assertThat(refusal.highest()).isEqualTo(successor.token());
                streams.append("orders", successor, bytes("after the take-over"));
                assertThat(texts("orders")).containsExactly("before the pause", "after the take-over");
            }
        }

        private static FenceStamp takeOver(LockBackend locks) {
            LockKey key = LockKey.of("lock");
            Granted granted = (Granted)
                    locks.acquire(AcquireRequest.of(key, LockId.random(), Duration.ofMinutes(1), Holder.of("leader")));
            return new FenceStamp(key, granted.grant().token());
        }

        private List<String> texts(String stream) {
            return new ArrayList<>(streams.read(stream, 1, 1_000))
                    .stream().map(StreamEntry::text).toList();
        }
    }

    @Nested
    class OnPostgres extends Everywhere {
        @Override
        GuardPlace newPlace() {
            return new PostgresPlace();
        }
    }

    @Nested
    class OnSqlite extends Everywhere {
        @Override
        GuardPlace newPlace() {
            return new SqlitePlace();
        }
    }

    @Nested
    class OnMariaDb extends Everywhere {
        @Override
        GuardPlace newPlace() {
            return new MariaDbPlace();
        }

        /** At REPEATABLE READ it does not see the position that others have reached. */
        @Test
        void aTransactionThatHadReadBeforeOthersAppendedIsToldToEnterFirst() throws SQLException {
            streams.append("orders", stamp(1), bytes("a"));
            try (Connection old = place.begin()) {
                new Sql("SELECT count(*) FROM " + place.in("fenceline_fences_stream")).one(old, row -> row.getLong(1));
                streams.append("orders", stamp(1), bytes("b"));

                SQLException outdated = catchThrowableOfType(
                        SQLException.class, () -> streams.append(old, "orders", stamp(2), List.of(bytes("c"))));

                assertThat(outdated.getMessage()).contains("enter the guard first");
                assertThat(Products.named("MariaDB").fences().isConflict(outdated))
                        .isTrue();
                old.rollback();
                assertThat(streams.append(old, "orders", stamp(2), List.of(bytes("c"))))
                        .isEqualTo(3);
                old.commit();
            }
        }

        /** What it would append at, has been seen and purged. */
        @Test
        void soIsOneBeforeWhichTheyPurgedWhatTheyAppended() throws SQLException {
            streams.append("orders", stamp(1), bytes("a"));
            try (Connection old = place.begin()) {
                new Sql("SELECT count(*) FROM " + place.in("fenceline_fences_stream")).one(old, row -> row.getLong(1));
                for (int i = 0; i < 3; i++) {
                    streams.append("orders", stamp(1), bytes("b"));
                }
                streams.purge("orders", stamp(1), 4);

                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> streams.append(old, "orders", stamp(2), List.of(bytes("c"))))
                        .withMessageContaining("enter the guard first");
                old.rollback();
            }
            assertThat(streams.read("orders", 1, 10))
                    .extracting(StreamEntry::position)
                    .containsExactly(4L);
        }

        /** A lock between entries would keep new ones of other streams out. */
        @Test
        void theFirstEntriesOfTwoStreamsAreInNobodysWay() throws SQLException {
            try (Connection one = place.begin();
                    Connection other = place.begin()) {
                streams.append(one, "m1", stamp(1), List.of(bytes("a")));
                streams.append(other, "m2", stamp(1), List.of(bytes("b")));
                streams.append("m0", stamp(1), bytes("c"));
                other.commit();
                one.commit();
            }
        }
    }

    @Nested
    class OnH2 extends Everywhere {
        @Override
        GuardPlace newPlace() {
            return new H2Place();
        }

        /** As tests of applications have it that run on PostgreSQL. */
        @Test
        void isKeptInThatOfPostgresToo() throws SQLException {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl(
                    "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE");
            FencedStream inMode = FencedStream.on(source);
            inMode.schema().installSchema();

            inMode.append("orders", stamp(1), bytes("a"));

            assertThat(inMode.read("orders", 0, 10)).hasSize(1);
            assertThat(inMode.schema().schemaProblems()).isEmpty();
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }
}
