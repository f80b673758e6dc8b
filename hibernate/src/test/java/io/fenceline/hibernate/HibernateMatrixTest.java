package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.hibernate.MatrixEntities.Inheritance;
import io.fenceline.hibernate.MatrixEntities.Mapping;
import io.fenceline.hibernate.MatrixOperation.Kind;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.hibernate.SessionFactory;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in which Hibernate writes a row, on every product, for every kind of mapping: without a stamp and with a stale one it is
 * refused and nothing is changed in the database, with a fresh one it is written.
 *
 * <p>{@code mvn -pl hibernate -am -Dtest=HibernateMatrixTest -Dsurefire.failIfNoSpecifiedTests=false test} prints it into {@code
 * hibernate/target/hibernate-matrix.txt}.
 */
@Tag("R8")
@Tag("R1")
class HibernateMatrixTest {

    private static final Logger HIBERNATE = Logger.getLogger("org.hibernate");
    private static final Path PRINTED = Path.of("target", "hibernate-matrix.txt");

    @TempDir
    static Path folder;

    private static Map<Inheritance, List<Mapping>> mappings = Map.of();
    private static final List<String> LINES = new ArrayList<>();

    @BeforeAll
    static void generate() {
        HIBERNATE.setLevel(Level.OFF);
        mappings = MatrixEntities.generate(folder);
    }

    @AfterAll
    static void print() throws IOException {
        List<String> head = new ArrayList<>(List.of(
                "Each mapping by each operation, under no stamp, a stale one, a fresh one, and for statements within bulk(…).",
                "r refused, nothing changed; w written; n written, as the row is a new resource; - fails by itself, nothing changed; ! wrong.",
                ""));
        MatrixOperation[] operations = MatrixOperation.values();
        for (int i = 0; i < operations.length; i++) {
            head.add(String.format("%2d %s", i + 1, operations[i]));
        }
        head.add("");
        Files.createDirectories(PRINTED.getParent());
        Files.write(PRINTED, Stream.concat(head.stream(), LINES.stream()).toList());
    }

    static Stream<Arguments> factories() {
        return Stream.of(Store.values())
                .flatMap(store -> Stream.of(Inheritance.values()).map(inheritance -> Arguments.of(store, inheritance)));
    }

    @ParameterizedTest
    @MethodSource("factories")
    void refusesWithoutAFreshStampAndWritesWithOne(Store store, Inheritance inheritance) throws SQLException {
        String url = store.newGuardedUrl();
        List<String> wrong = new ArrayList<>();
        try (SessionFactory sessions = build(url, mappings.get(inheritance));
                Connection connection = Store.connect(url)) {
            sessions.inTransaction(session -> session.persist(new MatrixPlain(1, "plain")));
            // the factory's own guard: it has a pool, and each cell asks
            JdbcFenceGuard guard = FenceGate.of(sessions.unwrap(SessionFactoryImplementor.class))
                    .table()
                    .often();
            Rows rows = new Rows(store, sessions, connection, guard, new ArrayList<>());
            for (Mapping mapping : mappings.get(inheritance)) {
                rows.tryAll(mapping, wrong);
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static SessionFactory build(String url, List<Mapping> mappings) {
        Configuration configuration = new Configuration(new BootstrapServiceRegistryBuilder()
                .applyClassLoader(mappings.get(0).leaf().getClassLoader())
                .build());
        configuration.setProperty("hibernate.connection.url", url);
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        configuration.setProperty("hibernate.jdbc.batch_size", "5");
        configuration.addAnnotatedClass(MatrixPlain.class);
        mappings.forEach(mapping -> mapping.classes().forEach(configuration::addAnnotatedClass));
        return configuration.buildSessionFactory();
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    /** @param seen what the rows were when they were last read */
    private record Rows(
            Store store, SessionFactory sessions, Connection connection, JdbcFenceGuard guard, List<String> seen) {

        private static final long SEEN = 5;
        private static final long STALE = 3;
        private static final long FRESH = 7;

        void tryAll(Mapping mapping, List<String> wrong) throws SQLException {
            List<String> cells = new ArrayList<>();
            long number = 0;
            for (MatrixOperation operation : MatrixOperation.values()) {
                number += 10;
                MatrixCell cell = seed(mapping, number);
                readChanges(mapping);
                String result = tryOne(cell, operation, wrong);
                cells.add(String.format("%-5s", result));
            }
            LINES.add(String.format(
                    "%-10s %-17s %-9s %-6s %s",
                    store, mapping.inheritance(), mapping.identifier(), mapping.place(), String.join("", cells)));
        }

        /** Makes a row under the token that was seen; what is inserted beside it is claimed, where it has a name beforehand. */
        private MatrixCell seed(Mapping mapping, long number) {
            String text = "row " + number;
            MatrixRow row = MatrixCell.make(mapping, number, text);
            sessions.inTransaction(session -> {
                Fencing.in(session).by(stamp(SEEN));
                session.persist(row);
            });
            if (mapping.identifier().isAssigned()) {
                guard.claim(MatrixCell.resource(mapping, number + 1, number + 1), stamp(SEEN));
            }
            assertThat(guard.highest(MatrixCell.resource(mapping, row.key(), number)))
                    .contains(stamp(SEEN));
            return new MatrixCell(store, sessions, mapping, row.key(), number + 1, text);
        }

        private String tryOne(MatrixCell cell, MatrixOperation operation, List<String> wrong) throws SQLException {
            String where = store + " " + cell.mapping().leaf().getSimpleName() + " " + operation;
            StringBuilder result = new StringBuilder();
            boolean statement = operation.kind == Kind.STATEMENT;
            boolean unseen = operation.kind == Kind.NEW_ROW
                    && !cell.mapping().identifier().isAssigned();
            result.append(attempt(cell, operation, null, false, "r", where + " without a stamp", wrong));
            result.append(attempt(cell, operation, stamp(STALE), false, unseen ? "n" : "r", where + ", stale", wrong));
            result.append(
                    attempt(cell, operation, stamp(FRESH), false, statement ? "r" : "w", where + ", fresh", wrong));
            if (statement) {
                result.append(attempt(cell, operation, stamp(FRESH), true, "w", where + ", in bulk", wrong));
            }
            return result.toString();
        }

        private String attempt(
                MatrixCell cell,
                MatrixOperation operation,
                @Nullable FenceStamp stamp,
                boolean bulk,
                String due,
                String where,
                List<String> wrong)
                throws SQLException {
            Optional<Throwable> thrown = run(cell, operation, stamp, bulk);
            boolean changed = readChanges(cell.mapping());
            Optional<RefusedWriteException> refusal = thrown.flatMap(Fencing::refusal);
            if (!changed && thrown.isPresent() && refusal.isEmpty() && operation.mayFail(cell.mapping())) {
                return "-";
            }
            boolean asDue = due.equals("r") ? refusal.isPresent() && !changed : thrown.isEmpty() && changed;
            if (!asDue) {
                wrong.add(where + ": " + (changed ? "changed" : "not changed") + ", "
                        + thrown.map(Throwable::toString).orElse("nothing thrown"));
                return "!";
            }
            return due;
        }

        private Optional<Throwable> run(
                MatrixCell cell, MatrixOperation operation, @Nullable FenceStamp stamp, boolean bulk) {
            try {
                if (operation.statelessAct == null) {
                    sessions.inTransaction(session -> {
                        Fencing fencing = Fencing.in(session);
                        if (stamp != null) {
                            fencing.by(stamp);
                        }
                        perform(fencing, bulk, () -> operation.act.accept(session, cell));
                    });
                } else {
                    sessions.inStatelessTransaction(session -> {
                        Fencing fencing = Fencing.in(session);
                        if (stamp != null) {
                            fencing.by(stamp);
                        }
                        perform(fencing, bulk, () -> operation.statelessAct.accept(session, cell));
                    });
                }
                return Optional.empty();
            } catch (RuntimeException e) {
                return Optional.of(e);
            }
        }

        private static void perform(Fencing fencing, boolean bulk, Runnable act) {
            if (!bulk) {
                act.run();
                return;
            }
            fencing.bulk(List.of(), () -> {
                act.run();
                return true;
            });
        }

        /** Tells whether the rows are others than at the last reading. */
        private boolean readChanges(Mapping mapping) throws SQLException {
            List<String> now = rows(mapping);
            boolean changed = !now.equals(seen);
            seen.clear();
            seen.addAll(now);
            return changed;
        }

        /** Reads all rows of a mapping, past Hibernate. */
        private List<String> rows(Mapping mapping) throws SQLException {
            List<String> rows = new ArrayList<>();
            for (String table : tables(mapping)) {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("select * from " + table)) {
                    int columns = row.getMetaData().getColumnCount();
                    while (row.next()) {
                        StringBuilder text = new StringBuilder(table);
                        for (int i = 1; i <= columns; i++) {
                            text.append('|').append(row.getString(i));
                        }
                        rows.add(text.toString());
                    }
                }
            }
            rows.sort(null);
            return rows;
        }

        private TreeSet<String> tables(Mapping mapping) {
            TreeSet<String> tables = new TreeSet<>();
            var metamodel = sessions.unwrap(SessionFactoryImplementor.class).getMappingMetamodel();
            metamodel.forEachEntityDescriptor(persister -> {
                if (mapping.root().isAssignableFrom(persister.getMappedClass())) {
                    tables.addAll(FencedTables.of(persister));
                }
            });
            tables.add(mapping.table() + "_tags");
            return tables;
        }
    }
}
