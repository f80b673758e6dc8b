package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.MissingTokenException;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapKeyColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Immutable;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is wrong is told when the factory is built, with the entity's name and the remedy. */
class MappingCheckTest {

    private static Database database;

    @BeforeAll
    static void openDatabase() {
        database = Database.open();
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @Test
    void aColumnNeedsAFence() {
        assertRefused(ColumnAlone.class, "ColumnAlone has @FenceColumn, but is not annotated with @Fenced");
    }

    @Test
    void aColumnIsANumberOrText() {
        assertRefused(ColumnOfInt.class, "ColumnOfInt has a @FenceColumn of type Integer; it is long, Long or String");
    }

    @Test
    void anEntityHasOneColumn() {
        assertRefused(TwoColumns.class, "has 2 attributes with @FenceColumn");
    }

    @Test
    void aGapNamesAnAttributeThatCannotChange() {
        assertRefused(UnknownGap.class, "is fenced as 'x:{nobody}', but has no attribute 'nobody'");
        assertRefused(ChangingGap.class, "is fenced by 'town', which can change");
    }

    @Test
    @Tag("R10")
    void aGapIsOfATypeThatHasOneText() {
        assertRefused(ByDate.class, "is fenced by 'id', whose type java.util.Date has no canonical text");
        assertRefused(ByDateInParts.class, "is fenced by 'id.since', whose type java.util.Date has no canonical text");
        assertRefused(ByFraction.class, "is fenced by 'share', whose type java.lang.Double has no canonical text");
        assertRefused(ByPlaces.class, "is fenced by 'places', which has no column of its own");
    }

    @Test
    @Tag("R8")
    void anotherEntityThatWritesAFencedTableIsFencedToo() {
        assertThatThrownBy(() -> build(Map.of(), Note.class, PlainNote.class))
                .hasStackTraceContaining("PlainNote is not fenced, but writes table note");
        build(Map.of(), Note.class, ReadNote.class);
    }

    @Test
    @Tag("R8")
    void aCollectionDoesNotWriteTheRowsOfFencedEntities() {
        List<Class<?>[]> associations = List.of(
                new Class<?>[] {JoiningParent.class, JoinedChild.class},
                new Class<?>[] {OrderingParent.class, OrderedChild.class},
                new Class<?>[] {KeyingParent.class, KeyedChild.class});
        for (Class<?>[] association : associations) {
            assertThatThrownBy(() -> build(Map.of(), association))
                    .hasStackTraceContaining("would change the rows of")
                    .hasStackTraceContaining("map it with mappedBy");
        }
        assertThatThrownBy(() -> build(Map.of(), TaggingParent.class, Note.class))
                .hasStackTraceContaining("in table note, which is a fenced entity's");
        build(Map.of(), MappedParent.class, MappedChild.class);
    }

    @Test
    void aFenceIsOfAnEntityAndNotOfItsParts() {
        assertRefused(OfParts.class, "which has @Fenced or @FenceColumn; these belong to the entity");
    }

    @Test
    void theFenceTableIsThere() {
        assertThatThrownBy(() -> build(Map.of(FenceIntegrator.TABLE, "no_such_fences"), Note.class))
                .hasStackTraceContaining("no_such_fences")
                .hasStackTraceContaining("JdbcFenceGuard.on(dataSource).schema()");
        build(Map.of(FenceIntegrator.TABLE, "no_such_fences", FenceIntegrator.SCHEMA, "none"), Note.class);
    }

    @Test
    void settingsAreRead() {
        assertThatThrownBy(() -> build(Map.of(FenceIntegrator.SCHEMA, "maybe"), Note.class))
                .hasStackTraceContaining("setting 'fenceline.schema' is 'maybe'; it is 'check' or 'none'");
        assertThatThrownBy(() -> build(Map.of(FenceIntegrator.LISTENERS, 42), Note.class))
                .hasStackTraceContaining("setting 'fenceline.listeners' has a java.lang.Integer");
    }

    @Test
    void aFactoryDropsItsTablesWhenItIsClosed() throws SQLException {
        build(Map.of("hibernate.hbm2ddl.auto", "create-drop"), Truck.class);

        assertThat(tables("truck")).isZero();
    }

    /** While it is closed, sessions of others may still be open. */
    @Test
    void nothingElseIsWrittenWhileAFactoryMayDropItsTables() {
        try (SessionFactory factory = database.build(Map.of("hibernate.hbm2ddl.auto", "create-drop"), Truck.class)) {
            FenceGate.of(factory.unwrap(SessionFactoryImplementor.class)).beforeClose();

            factory.inSession(session -> {
                for (String sql : List.of("delete from truck", "drop table other; delete from truck")) {
                    session.beginTransaction();
                    assertThatThrownBy(
                                    () -> session.createNativeMutationQuery(sql).executeUpdate())
                            .isInstanceOf(MissingTokenException.class);
                    session.getTransaction().rollback();
                }
            });
        }
    }

    @Test
    void anAttributeMayHaveTheNameOfAVerb() {
        try (SessionFactory factory = database.build(Map.of("hibernate.hbm2ddl.auto", "create-drop"), Truck.class)) {
            factory.inTransaction(session -> {
                Fencing.in(session).by(new FenceStamp(LockKey.of("k"), FencingToken.of(34)));
                session.persist(new Truck());
            });

            factory.inTransaction(
                    session -> assertThat(session.find(Truck.class, 1L).load).isEqualTo(7));
        }
    }

    private static long tables(String name) throws SQLException {
        try (Connection connection = database.source().getConnection();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT count(*) FROM pg_class WHERE relname = ? AND relkind = 'r'")) {
            query.setString(1, name);
            try (ResultSet count = query.executeQuery()) {
                count.next();
                return count.getLong(1);
            }
        }
    }

    @Test
    void aFactoryWithoutFencedEntitiesIsLeftAlone() {
        try (SessionFactory plain = database.build(Map.of(FenceIntegrator.TABLE, "no_such_fences"), Plain.class)) {
            plain.inSession(session -> assertThatThrownBy(() -> Fencing.in(session))
                    .hasMessageContaining("no entity of this session factory"));
        }
    }

    private static void assertRefused(Class<?> entity, String message) {
        assertThatThrownBy(() -> build(Map.of(), entity)).hasStackTraceContaining(message);
    }

    private static void build(Map<String, Object> settings, Class<?>... entities) {
        try (SessionFactory factory = database.build(settings, entities)) {
            assertThat(factory.isOpen()).isTrue();
        }
    }

    @Entity(name = "Plain")
    static class Plain {
        @Id
        long id;
    }

    @Entity(name = "ColumnAlone")
    static class ColumnAlone {
        @Id
        long id;

        @FenceColumn
        long lastFence;
    }

    @Entity(name = "ColumnOfInt")
    @Fenced(resource = "{id}")
    static class ColumnOfInt {
        @Id
        long id;

        @FenceColumn
        int lastFence;
    }

    @Entity(name = "Truck")
    @Table(name = "truck")
    @Fenced(resource = "truck/{id}")
    static class Truck {
        @Id
        long id = 1;

        int load = 7;
    }

    @Entity(name = "TwoColumns")
    @Fenced(resource = "{id}")
    static class TwoColumns {
        @Id
        long id;

        @FenceColumn
        long lastFence;

        @FenceColumn
        long otherFence;
    }

    @Entity(name = "UnknownGap")
    @Fenced(resource = "x:{nobody}")
    static class UnknownGap {
        @Id
        long id;
    }

    @Entity(name = "ChangingGap")
    @Fenced(resource = "x:{town}")
    static class ChangingGap {
        @Id
        long id;

        String town;
    }

    @Entity(name = "OfParts")
    @Fenced(resource = "{id}")
    static class OfParts {
        @Id
        long id;

        Part part;
    }

    @Embeddable
    @Fenced(resource = "part")
    static class Part {
        String name;
    }

    @Entity(name = "ByDate")
    @Fenced(resource = "x:{id}")
    static class ByDate {
        @Id
        Date id;
    }

    @Embeddable
    static class DatedId implements Serializable {
        private static final long serialVersionUID = 1L;

        long number;
        Date since;
    }

    @Entity(name = "ByDateInParts")
    @Fenced(resource = "x:{id}")
    static class ByDateInParts {
        @EmbeddedId
        DatedId id;
    }

    @Entity(name = "ByFraction")
    @Fenced(resource = "x:{share}")
    static class ByFraction {
        @Id
        long id;

        @Column(updatable = false)
        Double share;
    }

    @Entity(name = "ByPlaces")
    @Fenced(resource = "x:{places}")
    static class ByPlaces {
        @Id
        long id;

        @ElementCollection
        List<String> places;
    }

    @Entity(name = "PlainNote")
    @Table(name = "note")
    static class PlainNote {
        @Id
        String id;
    }

    @Entity(name = "ReadNote")
    @Immutable
    @Table(name = "note")
    static class ReadNote {
        @Id
        String id;
    }

    @Entity(name = "MappedChild")
    @Fenced(resource = "child:{id}")
    static class MappedChild {
        @Id
        long id;

        @ManyToOne
        MappedParent parent;
    }

    @Entity(name = "JoinedChild")
    @Fenced(resource = "child:{id}")
    static class JoinedChild {
        @Id
        long id;
    }

    @Entity(name = "OrderedChild")
    @Fenced(resource = "child:{id}")
    static class OrderedChild {
        @Id
        long id;

        @ManyToOne
        OrderingParent parent;
    }

    @Entity(name = "KeyedChild")
    @Fenced(resource = "child:{id}")
    static class KeyedChild {
        @Id
        long id;

        @ManyToOne
        KeyingParent parent;
    }

    @Entity(name = "MappedParent")
    static class MappedParent {
        @Id
        long id;

        @OneToMany(mappedBy = "parent")
        List<MappedChild> children;
    }

    @Entity(name = "JoiningParent")
    static class JoiningParent {
        @Id
        long id;

        @OneToMany
        @JoinColumn(name = "parent")
        List<JoinedChild> children;
    }

    @Entity(name = "OrderingParent")
    static class OrderingParent {
        @Id
        long id;

        @OneToMany(mappedBy = "parent")
        @OrderColumn(name = "place")
        List<OrderedChild> children;
    }

    @Entity(name = "KeyingParent")
    static class KeyingParent {
        @Id
        long id;

        @OneToMany(mappedBy = "parent")
        @MapKeyColumn(name = "place")
        Map<String, KeyedChild> children;
    }

    @Entity(name = "TaggingParent")
    static class TaggingParent {
        @Id
        long id;

        @ElementCollection
        @CollectionTable(name = "note")
        List<String> texts;
    }
}
