package io.fenceline.hibernate;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.PostgresServer;
import io.fenceline.telemetry.LockListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL database with the tables of the tests' entities and the fence table, and session factories on it. */
final class Database implements AutoCloseable {

    /** Kept, as the log manager forgets it otherwise. It warns of what the tests provoke. */
    private static final Logger HIBERNATE = Logger.getLogger("org.hibernate");

    private static final Class<?>[] ENTITIES = {
        Note.class,
        NoteOnce.class,
        ColumnNote.class,
        ColumnNoteOnce.class,
        Invoice.class,
        TextInvoice.class,
        Numbered.class,
        Shop.class,
        Parcel.class,
        ColumnBasket.class
    };

    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final List<LockListener> listeners = new CopyOnWriteArrayList<>();
    private final String url;
    private SessionFactory sessions;

    private Database(PostgresServer server, String name) {
        HIBERNATE.setLevel(Level.SEVERE);
        url = server.jdbcUrl(name);
        source.setUrl(url);
        JdbcFenceGuard.on(source).schema().installSchema();
        sessions = build(Map.of("hibernate.hbm2ddl.auto", "create"), ENTITIES);
    }

    static Database open() {
        return new Database(Shared.SERVER, Shared.SERVER.newDatabase());
    }

    PGSimpleDataSource source() {
        return source;
    }

    SessionFactory sessions() {
        return sessions;
    }

    void listen(LockListener... added) {
        listeners.addAll(List.of(added));
    }

    SessionFactory build(Map<String, Object> settings, Class<?>... entities) {
        Map<String, Object> all = new HashMap<>(Map.of(
                "hibernate.connection.url",
                url,
                "hibernate.connection.pool_size",
                "20",
                "hibernate.session_factory.statement_inspector",
                Recorder.class.getName(),
                "hibernate.jdbc.batch_size",
                "10",
                FenceIntegrator.LISTENERS,
                (LockListener) event -> listeners.forEach(each -> each.on(event))));
        all.putAll(settings);
        Configuration configuration = new Configuration();
        all.forEach((name, value) -> configuration.getProperties().put(name, value));
        for (Class<?> entity : entities) {
            configuration.addAnnotatedClass(entity);
        }
        return configuration.buildSessionFactory();
    }

    void restart() {
        sessions.close();
        sessions = build(Map.of(), ENTITIES);
    }

    void empty() {
        listeners.clear();
        sessions.inTransaction(session -> session.doWork(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute(
                        "set local session_replication_role = replica; truncate fenceline_fences, note, column_note, invoice, invoice_tags, text_invoice,"
                                + " numbered, shop, parcel, column_basket, column_basket_items");
            }
        }));
    }

    @Override
    public void close() {
        sessions.close();
    }

    /** One server for all tests of a JVM; it ends with it. */
    static final class Shared {
        static final PostgresServer SERVER = PostgresServer.start(Map.of("fsync", "off", "max_connections", "200"));
    }
}
