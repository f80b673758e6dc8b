package io.fenceline.hibernate;

import org.hibernate.Hibernate;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.AbstractCollectionEvent;
import org.hibernate.event.spi.DeleteContext;
import org.hibernate.event.spi.DeleteEvent;
import org.hibernate.event.spi.DeleteEventListener;
import org.hibernate.event.spi.EventSource;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.FlushEntityEvent;
import org.hibernate.event.spi.FlushEntityEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PreCollectionRecreateEvent;
import org.hibernate.event.spi.PreCollectionRecreateEventListener;
import org.hibernate.event.spi.PreCollectionRemoveEvent;
import org.hibernate.event.spi.PreCollectionRemoveEventListener;
import org.hibernate.event.spi.PreCollectionUpdateEvent;
import org.hibernate.event.spi.PreCollectionUpdateEventListener;
import org.hibernate.event.spi.PreDeleteEvent;
import org.hibernate.event.spi.PreDeleteEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.hibernate.event.spi.PreUpsertEvent;
import org.hibernate.event.spi.PreUpsertEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Takes the fence of each row of a fenced entity before Hibernate generates its SQL, in stateful and stateless sessions. {@link
 * FencedExecutor} ensures that none is missed.
 */
final class FenceListeners
        implements FlushEntityEventListener,
                DeleteEventListener,
                PreInsertEventListener,
                PreUpdateEventListener,
                PreDeleteEventListener,
                PreUpsertEventListener,
                PostInsertEventListener,
                PreCollectionRecreateEventListener,
                PreCollectionUpdateEventListener,
                PreCollectionRemoveEventListener {

    private static final long serialVersionUID = 1L;

    private final transient FenceGate gate;

    FenceListeners(FenceGate gate) {
        this.gate = gate;
    }

    FenceGate gate() {
        return gate;
    }

    void register(EventListenerRegistry registry) {
        FlushBounds bounds = new FlushBounds(gate);
        registry.prependListeners(EventType.FLUSH, bounds.beginning());
        registry.appendListeners(EventType.FLUSH, bounds.end());
        registry.prependListeners(EventType.AUTO_FLUSH, bounds.beginningOfAuto());
        registry.appendListeners(EventType.AUTO_FLUSH, bounds.endOfAuto());
        registry.appendListeners(EventType.FLUSH_ENTITY, this);
        registry.prependListeners(EventType.DELETE, this);
        // last: other listeners may veto the write
        registry.appendListeners(EventType.PRE_INSERT, this);
        registry.appendListeners(EventType.PRE_UPDATE, this);
        registry.appendListeners(EventType.PRE_DELETE, this);
        registry.appendListeners(EventType.PRE_UPSERT, this);
        registry.prependListeners(EventType.POST_INSERT, this);
        registry.appendListeners(EventType.PRE_COLLECTION_RECREATE, this);
        registry.appendListeners(EventType.PRE_COLLECTION_UPDATE, this);
        registry.appendListeners(EventType.PRE_COLLECTION_REMOVE, this);
    }

    @Override
    public void onFlushEntity(FlushEntityEvent event) {
        EntityEntry entry = event.getEntityEntry();
        EntityPersister persister = entry.getPersister();
        FencedEntity fenced = gate.find(persister);
        if (fenced == null || !isWritten(event, entry)) {
            return;
        }
        if (!entry.isExistsInDatabase()
                && (persister.isIdentifierAssignedByInsert() || entry.getLoadedState() == null)) {
            return; // its id is not generated yet, or what is going to be inserted is not known
        }
        String resource = fenced.resourceOf(entry.getId(), event.getEntity(), event.getSession());
        gate.fences(event.getSession()).want(resource, fenced.rule());
    }

    private static boolean isWritten(FlushEntityEvent event, EntityEntry entry) {
        return entry.getStatus() == Status.DELETED
                || !entry.isExistsInDatabase()
                || !event.isDirtyCheckPossible()
                || event.hasDirtyProperties()
                || event.hasDirtyCollection();
    }

    /** A detached object would be taken for what is in the database. */
    @Override
    public void onDelete(DeleteEvent event) {
        if (!Hibernate.isInitialized(event.getObject())) {
            return; // its row is written by its key alone
        }
        EventSource session = event.getSession();
        Object entity = Hibernate.unproxy(event.getObject());
        FencedEntity fenced = gate.find(session.getEntityPersister(event.getEntityName(), entity));
        if (fenced != null
                && !fenced.resource().isNamedByIdAlone()
                && !session.getPersistenceContextInternal().isEntryFor(entity)) {
            throw new UnsupportedOperationException("the fence of " + fenced.name() + " is '"
                    + fenced.resource().text() + "' and not named by {id} alone, so a detached object does not tell it;"
                    + " find the entity in this session and remove that");
        }
    }

    @Override
    public void onDelete(DeleteEvent event, DeleteContext transientEntities) {
        onDelete(event);
    }

    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        FencedEntity fenced = gate.find(event.getPersister());
        if (fenced != null && fenced.isNamedByInsert()) {
            gate.fences(event.getSession()).stampFor(fenced.resource().text());
        } else if (fenced != null) {
            SharedSessionContractImplementor session = event.getSession();
            String resource = fenced.resourceOfState(event.getId(), event.getState(), session);
            gate.fences(session).take(session, resource, fenced.rule());
        }
        return false;
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        FencedEntity fenced = gate.find(event.getPersister());
        if (fenced != null) {
            take(event.getSession(), fenced, event.getId(), event.getEntity());
        }
        return false;
    }

    @Override
    public boolean onPreDelete(PreDeleteEvent event) {
        FencedEntity fenced = gate.find(event.getPersister());
        if (fenced != null) {
            take(event.getSession(), fenced, event.getId(), event.getEntity());
        }
        return false;
    }

    @Override
    public boolean onPreUpsert(PreUpsertEvent event) {
        FencedEntity fenced = gate.find(event.getPersister());
        if (fenced != null && fenced.hasColumn()) {
            throw new UnsupportedOperationException("upsert of " + fenced.name()
                    + " cannot check its @FenceColumn; use insert or update, or fence the entity by the fence table");
        } else if (fenced != null) {
            take(event.getSession(), fenced, event.getId(), event.getEntity());
        }
        return false;
    }

    private void take(
            SharedSessionContractImplementor session,
            FencedEntity fenced,
            @Nullable Object id,
            @Nullable Object entity) {
        gate.fences(session).take(session, fenced.resourceOf(id, entity, session), fenced.rule());
    }

    /** A row with a generated id has its name only now. A refusal rolls the transaction back. */
    @Override
    public void onPostInsert(PostInsertEvent event) {
        FencedEntity fenced = gate.find(event.getPersister());
        if (fenced == null || !fenced.isNamedByInsert()) {
            return;
        }
        SharedSessionContractImplementor session = event.getSession();
        String resource = fenced.resourceOfState(event.getId(), event.getState(), session);
        gate.fences(session).take(session, resource, fenced.rule());
        if (fenced.hasColumn()) {
            gate.fences(session).admittedUpTo(resource, fenced.rule()); // its column was written
        }
    }

    @Override
    public void onPreRecreateCollection(PreCollectionRecreateEvent event) {
        beforeCollection(event);
    }

    @Override
    public void onPreUpdateCollection(PreCollectionUpdateEvent event) {
        beforeCollection(event);
    }

    @Override
    public void onPreRemoveCollection(PreCollectionRemoveEvent event) {
        beforeCollection(event);
    }

    private void beforeCollection(AbstractCollectionEvent event) {
        if (event.getCollectionPersister().isInverse()) {
            return; // no SQL follows
        }
        EntityPersister persister = event.getCollectionPersister().getOwnerEntityPersister();
        FencedEntity fenced = gate.find(persister);
        SharedSessionContractImplementor session = fenced == null ? null : session(event);
        if (fenced == null || session == null) {
            return;
        }
        Object id = event.getAffectedOwnerIdOrNull();
        String resource = fenced.resourceOf(id, event.getAffectedOwnerOrNull(), session);
        SessionFences fences = gate.fences(session);
        fences.take(session, resource, fenced.rule());
        if (fenced.hasColumn() && id != null) {
            long admitted = fences.admittedUpTo(resource, fenced.rule());
            EntityRow.of(gate, fenced, session).take(id, resource, admitted);
        }
    }

    /** Returns the event's session, or null if stateless; a stateless session has just written the owner. */
    private static @Nullable SharedSessionContractImplementor session(AbstractCollectionEvent event) {
        try {
            return event.getSession();
        } catch (NullPointerException stateless) { // the event of a stateless session throws
            return null;
        }
    }
}
