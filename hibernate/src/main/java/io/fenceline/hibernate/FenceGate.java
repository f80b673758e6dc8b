package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListeners;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.FlushEntityEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** The fences of one session factory: its fenced entities, their tables, and the stamps of its sessions. */
final class FenceGate {

    private final SessionFenceTable table;
    private final LockListeners listeners;
    private final Map<String, Optional<FencedEntity>> entities = new ConcurrentHashMap<>();

    /** Entries end with their sessions: the keys are weak, and the values do not refer to them. */
    private final Map<SharedSessionContractImplementor, SessionFences> sessions =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final StatementGate statements;
    private volatile @Nullable FencedTables tables;

    FenceGate(SessionFenceTable table, LockListeners listeners, StatementGate statements) {
        this.table = table;
        this.listeners = listeners;
        this.statements = statements;
    }

    /** Finds the gate of a factory; null without fenced entities. */
    @SuppressWarnings("deprecation") // its replacement fires events; there is no other way to find a listener
    static @Nullable FenceGate find(SessionFactoryImplementor factory) {
        for (FlushEntityEventListener listener :
                factory.getEventListenerGroups().eventListenerGroup_FLUSH_ENTITY.listeners()) {
            if (listener instanceof FenceListeners ours) {
                return ours.gate();
            }
        }
        return null;
    }

    static FenceGate of(SessionFactoryImplementor factory) {
        FenceGate gate = find(factory);
        if (gate == null) {
            throw new IllegalStateException("no entity of this session factory is annotated with @Fenced,"
                    + " or the integrator of fenceline-hibernate was not found by Hibernate's class loader");
        }
        return gate;
    }

    SessionFences fences(SharedSessionContractImplementor session) {
        return sessions.computeIfAbsent(session, opened -> {
            SessionFences fences = new SessionFences(table);
            opened.getEventListenerManager().addListener(fences);
            return fences;
        });
    }

    @Nullable
    FencedEntity find(EntityPersister persister) {
        return entities.computeIfAbsent(
                        persister.getEntityName(), name -> Optional.ofNullable(FencedEntity.of(persister)))
                .orElse(null);
    }

    FencedEntity entity(EntityPersister persister) {
        FencedEntity entity = find(persister);
        if (entity == null) {
            throw new IllegalStateException("entity " + persister.getEntityName() + " is not annotated with @Fenced");
        }
        return entity;
    }

    void enter(SharedSessionContractImplementor session, Class<?> type, Object given) {
        FencedEntity entity = entity(session.getFactory().getMappingMetamodel().getEntityDescriptor(type));
        if (!entity.resource().isNamedByIdAlone()) {
            throw new UnsupportedOperationException("the fence of " + entity.name() + " is '"
                    + entity.resource().text() + "' and not named by {id} alone; enter it by its name");
        }
        if (entity.hasColumn() && entity.rule() == FenceRule.ONCE) {
            throw new UnsupportedOperationException("the @FenceColumn of " + entity.name()
                    + " cannot tell an entry from the one write of its rule ONCE; fence it by the fence table");
        }
        Object id = entity.identifier(given);
        String resource = entity.resourceOf(id, null, session);
        fences(session).claim(session, List.of(resource)); // first, as in a write, to avoid deadlocks
        if (entity.hasColumn()) {
            fences(session).ensureShown(session, resource); // setting the column is a write to a trigger
            EntityRow row = EntityRow.of(this, entity, session);
            row.take(id, resource, fences(session).stampFor(resource).token().value());
        }
    }

    FencedTables tables(SessionFactoryImplementor factory) {
        FencedTables known = tables;
        if (known == null) {
            known = FencedTables.of(factory, this);
            tables = known;
        }
        return known;
    }

    /** Guards the tables of a complete factory until it is closed. */
    void open(SessionFactoryImplementor factory) {
        statements.guard(tables(factory));
    }

    /** Allows the factory to drop its tables, as {@code create-drop} does. */
    void beforeClose() {
        FencedTables known = tables;
        if (known != null) {
            statements.letDrop(known);
        }
    }

    void close() {
        FencedTables known = tables;
        if (known != null) {
            statements.forget(known);
        }
    }

    /** Runs a statement of the program unless it writes to a fenced table. */
    static <T extends @Nullable Object> T passing(
            SharedSessionContractImplementor session, String sql, Set<String> declared, Supplier<T> statement) {
        FenceGate gate = find(session.getFactory());
        if (gate == null) {
            return statement.get();
        }
        if (gate.fences(session).allowsBulk()) {
            return statement.get(); // admitted as a whole: some inserts use no executor
        }
        gate.statements.check(session, sql);
        gate.tables(session.getFactory())
                .among(declared)
                .ifPresent(table -> SessionFences.refusable(session, () -> {
                    throw StatementGate.refusal(table);
                }));
        return statement.get();
    }

    StatementGate statements() {
        return statements;
    }

    SessionFenceTable table() {
        return table;
    }

    LockListeners listeners() {
        return listeners;
    }
}
