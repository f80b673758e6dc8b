package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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
    void aFactoryWithoutFencedEntitiesIsLeftAlone() {
        try (SessionFactory plain = database.build(Map.of(FenceIntegrator.TABLE, "no_such_fences"), Plain.class)) {
            plain.inSession(session -> assertThatThrownBy(() -> Fencing.in(session))
                    .hasMessageContaining("no entity of this session factory"));
        }
    }

    private static void assertRefused(Class<?> entity, String message) {
        assertThatThrownBy(() -> build(Map.of(), entity)).hasStackTraceContaining(message);
    }

    private static void build(Map<String, Object> settings, Class<?> entity) {
        try (SessionFactory factory = database.build(settings, entity)) {
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
}
