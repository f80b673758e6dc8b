package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListeners;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.FlushEntityEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** What one session factory knows of fences: which entities have them, where, and what its sessions carry. */
final class FenceGate {

    private final FenceTable table;
    private final LockListeners listeners;
    private final Map<String, Optional<FencedEntity>> entities = new ConcurrentHashMap<>();

    /** Ends with the sessions: weak keys, and values that do not refer to them. */
    private final Map<SharedSessionContractImplementor, SessionFences> sessions =
            Collections.synchronizedMap(new WeakHashMap<>());

    private volatile @Nullable FencedTables tables;

    FenceGate(FenceTable table, LockListeners listeners) {
        this.table = table;
        this.listeners = listeners;
    }

    /** Finds the gate of a factory; absent if it has no fenced entity. */
    @SuppressWarnings("deprecation") // what replaces it fires events; nothing else finds a listener
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

    void enter(SharedSessionContractImplementor session, Class<?> type, Object id) {
        EntityPersister persister = session.getFactory().getMappingMetamodel().getEntityDescriptor(type);
        FencedEntity entity = entity(persister);
        if (!entity.resource().names().stream().allMatch(ResourceTemplate.ID::equals)) {
            throw new UnsupportedOperationException("the fence of " + entity.name() + " is '"
                    + entity.resource().text() + "' and not named by {id} alone; enter it by its name");
        }
        String resource = entity.resourceOf(persister, id, null, null);
        if (!entity.hasColumn()) {
            fences(session).claim(session, List.of(resource));
            return;
        }
        if (entity.rule() == FenceRule.ONCE) {
            throw new UnsupportedOperationException(
                    "the @FenceColumn of " + entity.name()
                            + " cannot tell that it was entered from the one write of its rule ONCE; fence it by the fence table");
        }
        FencedRow row = FencedRow.of(this, entity, persister, session);
        long token = fences(session).stampFor(resource).token().value();
        if (!row.take(id, resource, token)) {
            fences(session).claim(session, List.of(resource));
            row.take(id, resource, token); // one that was inserted meanwhile; no other can come now
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

    FenceTable table() {
        return table;
    }

    LockListeners listeners() {
        return listeners;
    }
}
