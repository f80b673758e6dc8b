package io.fenceline.hibernate;

import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.GuardStressContract;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import io.fenceline.testkit.StressedData;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.ConstraintViolationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.postgresql.ds.PGSimpleDataSource;

/** Two processes that change one entity and are stopped while they hold its lock. */
class EntityStressTest {

    @Nested
    class OfTheFenceTable extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return UnderFenceTable.class;
        }
    }

    @Nested
    class OfTheFenceColumn extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return UnderFenceColumn.class;
        }
    }

    abstract static class OnPostgres extends GuardStressContract {

        private final String database = Database.Shared.SERVER.newDatabase();

        @BeforeEach
        void makeTables() {
            JdbcFenceGuard.on(source(address())).schema().installSchema();
            build(address(), "create", Note.class, ColumnNote.class).close();
            try (LockBackend backend = Backends.open(locks())) {
                backend.ability(SchemaControl.class).orElseThrow().installSchema();
            }
        }

        @Override
        protected String locks() {
            return Database.Shared.SERVER.uri(database);
        }

        @Override
        protected String address() {
            return Database.Shared.SERVER.jdbcUrl(database);
        }
    }

    /** Notes, opened by a process of the test with their fences or without. */
    abstract static class StressedNotes implements StressedData {

        private static final Logger HIBERNATE = Logger.getLogger("org.hibernate");

        private final List<SessionFactory> open = new ArrayList<>();
        private final Class<? extends Text> fenced;

        StressedNotes(Class<? extends Text> fenced) {
            HIBERNATE.setLevel(Level.OFF);
            this.fenced = fenced;
        }

        @Override
        public GuardedData guarded(String address) {
            SessionFactory sessions = build(address, "none", fenced);
            open.add(sessions);
            JdbcFenceGuard guard = JdbcFenceGuard.on(source(address));
            return new EntityData(sessions, fenced, guard);
        }

        @Override
        public GuardedData unguarded(String address) {
            SessionFactory sessions = build(address, "none", UnfencedNote.class);
            open.add(sessions);
            return new Unguarded(sessions);
        }

        @Override
        public void close() {
            open.forEach(SessionFactory::close);
        }
    }

    /** Fenced by the table of fences. */
    static final class UnderFenceTable extends StressedNotes {
        UnderFenceTable() {
            super(Note.class);
        }
    }

    /** Fenced by a column, and claimed in the table of fences. */
    static final class UnderFenceColumn extends StressedNotes {
        UnderFenceColumn() {
            super(ColumnNote.class);
        }
    }

    /** The same rows as those of {@link Note}, for a program that knows nothing of fences. */
    @Entity
    @Table(name = "note")
    static class UnfencedNote {
        @Id
        String id;

        String text;
    }

    private record Unguarded(SessionFactory sessions) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return new NoGuard();
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            try {
                write(resource, value);
            } catch (ConstraintViolationException bothMadeTheRow) {
                write(resource, value);
            }
        }

        private void write(String resource, String value) {
            sessions.inTransaction(session -> {
                UnfencedNote row = session.find(UnfencedNote.class, resource);
                if (row == null) {
                    row = new UnfencedNote();
                    row.id = resource;
                    session.persist(row);
                }
                row.text = value;
            });
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> read(String resource) {
            return sessions.fromSession(session -> Optional.ofNullable(session.find(UnfencedNote.class, resource))
                    .map(row -> row.text));
        }
    }

    private static PGSimpleDataSource source(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    private static SessionFactory build(String url, String schema, Class<?>... entities) {
        Configuration configuration = new Configuration();
        configuration.setProperty("hibernate.connection.url", url);
        configuration.setProperty("hibernate.connection.pool_size", "2");
        configuration.setProperty("hibernate.hbm2ddl.auto", schema);
        for (Class<?> entity : entities) {
            configuration.addAnnotatedClass(entity);
        }
        return configuration.buildSessionFactory();
    }
}
