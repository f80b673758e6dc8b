package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On MariaDB a transaction sees the rows as they were when it first looked; whether a write is stale is told by the rows of now. */
@Tag("R9")
@Tag("R12")
class LatestRowTest {

    private static final int REPEATABLE_READ = 4;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStaleHolderIsRefusedThoughItsSnapshotIsOlder(boolean snapshotIsolation) {
        try (Place place = new Place(snapshotIsolation)) {
            place.write(2, session -> session.persist(new Invoice(1, "open")));

            place.assertStale("invoice:1", session -> {
                Invoice read = session.find(Invoice.class, 1L);
                place.write(8, other -> other.find(Invoice.class, 1L).status = "newer");
                read.status = "stale";
            });
            place.assertStale("invoice:2", session -> {
                session.createSelectionQuery("from Invoice", Invoice.class).getResultList();
                place.write(8, other -> other.persist(new Invoice(2, "newer")));
                Fencing.in(session).enter(Invoice.class, 2L);
            });
            assertThat(place.status(1)).isEqualTo("newer");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFenceInTheRowCountsThatPlainSqlHasWritten(boolean snapshotIsolation) {
        try (Place place = new Place(snapshotIsolation)) {
            place.write(2, session -> session.persist(new Invoice(1, "open")));

            place.assertStale("invoice:1", session -> {
                Invoice read = session.find(Invoice.class, 1L);
                place.sql("update Invoice set status = 'newer', lastFence = 8");
                read.status = "stale";
            });
            place.assertStale("invoice:3", session -> {
                session.createSelectionQuery("from Invoice", Invoice.class).getResultList();
                place.sql("insert into Invoice (id, status, version, lastFence) values (3, 'newer', 0, 8)");
                Fencing.in(session).enter(Invoice.class, 3L);
            });
            assertThat(place.status(1)).isEqualTo("newer");
        }
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    /** A database at MariaDB's own isolation level. */
    private static final class Place implements AutoCloseable {

        private final List<LockEvent> events = new CopyOnWriteArrayList<>();
        private final String url = Store.MARIADB.newGuardedUrl();
        private final SessionFactory sessions;

        Place(boolean snapshotIsolation) {
            Configuration configuration = new Configuration();
            configuration.setProperty(
                    "hibernate.connection.url",
                    url + "&sessionVariables=innodb_snapshot_isolation=" + (snapshotIsolation ? "ON" : "OFF"));
            configuration.setProperty("hibernate.connection.isolation", Integer.toString(REPEATABLE_READ));
            configuration.setProperty("hibernate.hbm2ddl.auto", "create");
            configuration.getProperties().put(FenceIntegrator.LISTENERS, (LockListener) events::add);
            configuration.addAnnotatedClass(Invoice.class);
            sessions = configuration.buildSessionFactory();
        }

        void write(long token, Consumer<Session> work) {
            sessions.inTransaction(session -> {
                Fencing.in(session).by(stamp(token));
                work.accept(session);
            });
        }

        void sql(String sql) {
            try (var connection = Store.connect(url);
                    var statement = connection.createStatement()) {
                assertThat(statement.executeUpdate(sql)).isOne();
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }

        void assertStale(String resource, Consumer<Session> work) {
            events.clear();
            Throwable thrown = catchThrowable(() -> write(3, work));
            assertThat(thrown).isNotNull();
            assertThat(Fencing.refusal(thrown)).as("%s", thrown).containsInstanceOf(StaleTokenException.class);
            assertThat(events).contains(new LockEvent.StaleRefused(resource, stamp(3), FencingToken.of(8)));
        }

        String status(long id) {
            return sessions.fromTransaction(session -> session.find(Invoice.class, id).status);
        }

        @Override
        public void close() {
            sessions.close();
        }
    }
}
