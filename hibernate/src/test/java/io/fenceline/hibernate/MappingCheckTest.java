package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.MissingTokenException;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.hibernate.SessionFactory;
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
        assertRefused(
                CheckedEntities.ColumnAlone.class, "ColumnAlone has @FenceColumn, but is not annotated with @Fenced");
    }

    @Test
    void aColumnIsANumberOrText() {
        assertRefused(
                CheckedEntities.ColumnOfInt.class,
                "ColumnOfInt has a @FenceColumn of type Integer; it is long, Long or String");
    }

    @Test
    void aColumnIsWritten() {
        assertRefused(CheckedEntities.UnwrittenColumn.class, "has a @FenceColumn that is not updatable");
    }

    @Test
    void aColumnIsNoVersion() {
        assertRefused(CheckedEntities.ColumnAsVersion.class, "annotate it with @OptimisticLock(excluded = true) too");
        build(Map.of(), CheckedEntities.ColumnBesideVersion.class);
    }

    @Test
    void anEntityHasOneColumn() {
        assertRefused(CheckedEntities.TwoColumns.class, "has 2 attributes with @FenceColumn");
    }

    @Test
    void aGapNamesAnAttributeThatCannotChange() {
        assertRefused(CheckedEntities.UnknownGap.class, "is fenced as 'x:{nobody}', but has no attribute 'nobody'");
        assertRefused(CheckedEntities.ChangingGap.class, "is fenced by 'town', which can change");
        assertRefused(CheckedEntities.ChangingPart.class, "is fenced by 'part', whose value can be changed in place");
        assertRefused(CheckedEntities.ChangingBytes.class, "is fenced by 'code', whose value can be changed in place");
    }

    @Test
    @Tag("R10")
    void aGapIsOfATypeThatHasOneText() {
        assertRefused(
                NamedEntities.ByDate.class, "is fenced by 'id', whose column gets values of type java.sql.Timestamp");
        assertRefused(NamedEntities.ByDay.class, "is fenced by 'id', whose column gets values of type java.sql.Date");
        assertRefused(
                NamedEntities.ByDateInParts.class,
                "is fenced by 'id.since', whose column gets values of type java.sql.Timestamp");
        assertRefused(
                NamedEntities.ByFraction.class,
                "is fenced by 'share', whose column gets values of type java.lang.Double");
        assertRefused(CheckedEntities.ByPlaces.class, "is fenced by 'places', which has no column of its own");
    }

    @Test
    @Tag("R10")
    void aGapIsStoredAsItIsGiven() {
        assertRefused(
                NamedEntities.ByExpression.class,
                "is fenced by 'town', which is read or written through an SQL expression");
        assertRefused(
                NamedEntities.ByReadExpression.class,
                "is fenced by 'town', which is read or written through an SQL expression");
        assertRefused(NamedEntities.ByUserType.class, "is fenced by 'id', which has a UserType or JdbcType of its own");
        assertRefused(
                NamedEntities.ByDefault.class, "is fenced by 'town', whose value the database or a generator gives");
        assertRefused(
                NamedEntities.ByGenerated.class, "is fenced by 'town', whose value the database or a generator gives");
    }

    @Test
    @Tag("R10")
    void theEntitiesOfATableHaveOneName() {
        assertThatThrownBy(() -> build(Map.of(), Note.class, NamedEntities.OtherNote.class))
                .hasStackTraceContaining("which has rows in the same table note, as '");
        assertThatThrownBy(() -> build(Map.of(), Note.class, NamedEntities.NoteByText.class))
                .hasStackTraceContaining("made of the same columns");
        assertThatThrownBy(() -> build(Map.of(), Note.class, NamedEntities.NoteInSchema.class))
                .hasStackTraceContaining("a row has one fence");
        assertRefused(NamedEntities.OtherBranch.class, "which has rows in the same table Branch, as '");
        build(Map.of(), NamedEntities.NoteInSchema.class, NamedEntities.NoteInOtherSchema.class);
    }

    @Test
    @Tag("R8")
    void theEntitiesOfATableAreAllFenced() {
        assertRefused(NamedEntities.FencedLeaf.class, "is not fenced, but writes table");
        build(Map.of(), NamedEntities.Apart.class, NamedEntities.FencedApart.class);
        build(Map.of(), NamedEntities.Unwritten.class, NamedEntities.FencedHeir.class);
    }

    @Test
    @Tag("R8")
    void anotherEntityThatWritesAFencedTableIsFencedToo() {
        assertThatThrownBy(() -> build(Map.of(), Note.class, CheckedEntities.PlainNote.class))
                .hasStackTraceContaining("PlainNote is not fenced, but writes table note");
        assertThatThrownBy(() -> build(Map.of(), NamedEntities.NoteInSchema.class, CheckedEntities.PlainNote.class))
                .hasStackTraceContaining("PlainNote is not fenced, but writes table note");
        build(Map.of(), Note.class, CheckedEntities.ReadNote.class);
    }

    @Test
    @Tag("R8")
    void aCollectionDoesNotWriteTheRowsOfFencedEntities() {
        List<Class<?>[]> associations = List.of(
                new Class<?>[] {CheckedEntities.JoiningParent.class, CheckedEntities.JoinedChild.class},
                new Class<?>[] {CheckedEntities.OrderingParent.class, CheckedEntities.OrderedChild.class},
                new Class<?>[] {
                    NamedEntities.HeirsOwner.class, NamedEntities.Unwritten.class, NamedEntities.FencedHeir.class
                },
                new Class<?>[] {CheckedEntities.ParentOfViews.class, CheckedEntities.ReadNote.class, Note.class},
                new Class<?>[] {CheckedEntities.KeyingParent.class, CheckedEntities.KeyedChild.class});
        for (Class<?>[] association : associations) {
            assertThatThrownBy(() -> build(Map.of(), association))
                    .hasStackTraceContaining("would change the rows of")
                    .hasStackTraceContaining("map it with mappedBy");
        }
        List<Class<?>[]> collections = List.of(
                new Class<?>[] {CheckedEntities.TaggingParent.class, Note.class},
                new Class<?>[] {CheckedEntities.TaggingFencedParent.class, Note.class},
                new Class<?>[] {CheckedEntities.JoinTableParent.class, CheckedEntities.JoinedChild.class, Note.class});
        for (Class<?>[] collection : collections) {
            assertThatThrownBy(() -> build(Map.of(), collection))
                    .hasStackTraceContaining("in table note, whose rows are a fenced entity's");
        }
        assertThatThrownBy(() -> build(Map.of(), CheckedEntities.UnfencedTags.class, CheckedEntities.FencedTags.class))
                .hasStackTraceContaining("in table tag, which is a fenced entity's");
        build(Map.of(), CheckedEntities.MappedParent.class, CheckedEntities.MappedChild.class);
        build(Map.of(), NamedEntities.SharingParent.class, NamedEntities.SharingChild.class);
        build(Map.of(), CheckedEntities.ReadingParent.class, CheckedEntities.ReadChild.class);
    }

    @Test
    void aFenceIsOfAnEntityAndNotOfItsParts() {
        assertRefused(CheckedEntities.OfParts.class, "which has @Fenced or @FenceColumn; these belong to the entity");
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
        Class<?> parent = entity.getSuperclass();
        Class<?>[] entities = parent == Object.class ? new Class<?>[] {entity} : new Class<?>[] {parent, entity};
        assertThatThrownBy(() -> build(Map.of(), entities)).hasStackTraceContaining(message);
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

    @Entity(name = "Truck")
    @Table(name = "truck")
    @Fenced(resource = "truck/{id}")
    static class Truck {
        @Id
        long id = 1;

        int load = 7;
    }
}
