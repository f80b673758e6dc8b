package io.fenceline.hibernate;

import io.fenceline.hibernate.MatrixEntities.Identifier;
import io.fenceline.hibernate.MatrixEntities.Place;
import jakarta.persistence.LockModeType;
import jakarta.persistence.criteria.CriteriaDelete;
import jakarta.persistence.criteria.CriteriaUpdate;
import java.util.function.BiConsumer;
import org.hibernate.Session;
import org.hibernate.SharedSessionContract;
import org.hibernate.StatelessSession;

/** Every way in which a session of Hibernate writes a row. A new one is one more constant. */
enum MatrixOperation {
    PERSIST(Kind.NEW_ROW, (session, cell) -> session.persist(cell.newRow())),
    MERGE_NEW(Kind.NEW_ROW, (session, cell) -> session.merge(cell.newRow())),
    MERGE_CHANGED(Kind.ROW, (session, cell) -> session.merge(cell.changed(cell.detached()))),
    UPDATE(Kind.ROW, (session, cell) -> cell.changed(cell.managed(session))),
    UPDATE_OF_SUBCLASS(Kind.ROW, (session, cell) -> cell.managed(session).own("changed")),
    REMOVE(Kind.ROW, (session, cell) -> session.remove(cell.managed(session))),
    COLLECTION_ADD(Kind.ROW, (session, cell) -> cell.managed(session).tags().add("added")),
    COLLECTION_CLEAR(Kind.ROW, (session, cell) -> cell.managed(session).tags().clear()),
    LOCK_WITH_INCREMENT(
            Kind.ROW, (session, cell) -> session.lock(cell.managed(session), LockModeType.PESSIMISTIC_FORCE_INCREMENT)),
    OPTIMISTIC_INCREMENT(
            Kind.ROW, (session, cell) -> session.lock(cell.managed(session), LockModeType.OPTIMISTIC_FORCE_INCREMENT)),
    FIND_WITH_INCREMENT(
            Kind.ROW,
            (session, cell) ->
                    session.find(cell.mapping().leaf(), cell.id(), LockModeType.PESSIMISTIC_FORCE_INCREMENT)),

    STATELESS_INSERT(Kind.NEW_ROW, null, (session, cell) -> session.insert(cell.newRow())),
    STATELESS_UPDATE(Kind.ROW, null, (session, cell) -> session.update(cell.changed(cell.detached()))),
    STATELESS_DELETE(Kind.ROW, null, (session, cell) -> session.delete(cell.detached())),
    STATELESS_UPSERT(Kind.ROW, null, (session, cell) -> session.upsert(cell.changed(cell.detached()))),

    HQL_UPDATE(
            Kind.STATEMENT,
            (session, cell) -> hql(session, cell, "update LEAF set text = 'hql', own = 'hql' where text = :text")),
    HQL_UPDATE_OF_SUBCLASS(
            Kind.STATEMENT, (session, cell) -> hql(session, cell, "update LEAF set own = 'hql' where text = :text")),
    HQL_UPDATE_OF_ROOT(
            Kind.STATEMENT, (session, cell) -> hql(session, cell, "update ROOT set text = 'hql' where text = :text")),
    HQL_UPDATE_VERSIONED(
            Kind.STATEMENT,
            (session, cell) -> hql(session, cell, "update versioned LEAF set text = 'hql' where text = :text")),
    HQL_DELETE(Kind.STATEMENT, (session, cell) -> hql(session, cell, "delete from LEAF where text = :text")),
    HQL_DELETE_OF_ROOT(Kind.STATEMENT, (session, cell) -> hql(session, cell, "delete from ROOT where text = :text")),
    HQL_INSERT(
            Kind.STATEMENT,
            (session, cell) -> hql(session, cell, "insert into LEAF (IDtext, ownFENCE) values (ID:text, 'hql'FENCE)")),
    HQL_INSERT_SELECT(
            Kind.STATEMENT,
            (session, cell) -> hql(
                    session,
                    cell,
                    "insert into LEAF (IDtext, ownFENCE) select IDp.text, 'hql'FENCE from MatrixPlain p where :text <> ''")),
    STATELESS_HQL_UPDATE(
            Kind.STATEMENT,
            null,
            (session, cell) -> hql(session, cell, "update LEAF set own = 'hql' where text = :text")),
    CRITERIA_UPDATE(
            Kind.STATEMENT,
            (session, cell) -> criteriaUpdate(session, cell, cell.mapping().leaf())),
    CRITERIA_DELETE(
            Kind.STATEMENT,
            (session, cell) -> criteriaDelete(session, cell, cell.mapping().leaf())),
    NATIVE_UPDATE(
            Kind.STATEMENT, (session, cell) -> sql(session, cell, "update TABLE set version = 9 where version = 0")),
    NATIVE_UPDATE_SHOUTED(
            Kind.STATEMENT,
            (session, cell) -> sql(session, cell, "UPDATE\n/* so */ TABLE SET VERSION=9 WHERE VERSION=0")),
    NATIVE_DELETE_OF_COLLECTION(Kind.STATEMENT, (session, cell) -> sql(session, cell, "delete from ROOT_tags")),
    NATIVE_QUERY_THAT_WRITES(
            Kind.STATEMENT,
            (session, cell) ->
                    session.createNativeQuery(cell.writingQuery(), Object.class).getResultList()),
    STATELESS_NATIVE_UPDATE(
            Kind.STATEMENT,
            null,
            (session, cell) -> sql(session, cell, "update TABLE set version = 9 where version = 0"));

    enum Kind {
        /** Inserts a row; where the database or Hibernate numbers it, it is a resource that nobody has written. */
        NEW_ROW,
        /** Changes the row of the cell. */
        ROW,
        /** Names no row, and is refused unless the program names the resources. */
        STATEMENT
    }

    final Kind kind;
    final BiConsumer<Session, MatrixCell> act;
    final BiConsumer<StatelessSession, MatrixCell> statelessAct;

    MatrixOperation(Kind kind, BiConsumer<Session, MatrixCell> act) {
        this(kind, act, null);
    }

    MatrixOperation(
            Kind kind, BiConsumer<Session, MatrixCell> act, BiConsumer<StatelessSession, MatrixCell> statelessAct) {
        this.kind = kind;
        this.act = act;
        this.statelessAct = statelessAct;
    }

    /**
     * Tells whether it may fail on a mapping by itself: an upsert cannot ask a column, and Hibernate 7.4 fails with some HQL and
     * some locks for embedded and random identifiers.
     */
    boolean mayFail(MatrixEntities.Mapping mapping) {
        return switch (this) {
            case STATELESS_UPSERT -> mapping.place() == Place.COLUMN;
            case FIND_WITH_INCREMENT -> mapping.identifier() == Identifier.EMBEDDED;
            case HQL_INSERT, HQL_INSERT_SELECT, HQL_DELETE, HQL_DELETE_OF_ROOT, CRITERIA_DELETE ->
                mapping.identifier() == Identifier.EMBEDDED || mapping.identifier() == Identifier.UUID;
            default -> false;
        };
    }

    private static void hql(SharedSessionContract session, MatrixCell cell, String text) {
        String id = switch (cell.mapping().identifier()) {
            case ASSIGNED -> "id, ";
            case EMBEDDED -> "id.region, id.number, ";
            default -> "";
        };
        String value = switch (cell.mapping().identifier()) {
            case ASSIGNED -> cell.number() + "L, ";
            case EMBEDDED -> "'a/b', " + cell.number() + "L, ";
            default -> "";
        };
        boolean column = cell.mapping().place() == Place.COLUMN;
        session.createMutationQuery(text.replaceFirst("ID", id)
                        .replaceFirst("ID", value)
                        .replaceFirst("FENCE", column ? ", fence" : "")
                        .replaceFirst("FENCE", column ? ", 7L" : "")
                        .replace("LEAF", cell.mapping().leaf().getSimpleName())
                        .replace("ROOT", cell.mapping().rootEntity()))
                .setParameter("text", cell.text())
                .executeUpdate();
    }

    private static <T> void criteriaUpdate(Session session, MatrixCell cell, Class<T> type) {
        CriteriaUpdate<T> update = session.getCriteriaBuilder().createCriteriaUpdate(type);
        var row = update.from(type);
        update.set("own", "criteria");
        update.where(session.getCriteriaBuilder().equal(row.get("text"), cell.text()));
        session.createMutationQuery(update).executeUpdate();
    }

    private static <T> void criteriaDelete(Session session, MatrixCell cell, Class<T> type) {
        CriteriaDelete<T> delete = session.getCriteriaBuilder().createCriteriaDelete(type);
        delete.where(session.getCriteriaBuilder().equal(delete.from(type).get("text"), cell.text()));
        session.createMutationQuery(delete).executeUpdate();
    }

    private static void sql(SharedSessionContract session, MatrixCell cell, String text) {
        session.createNativeMutationQuery(text.replace("TABLE", cell.table())
                        .replace("ROOT", cell.mapping().table()))
                .executeUpdate();
    }
}
