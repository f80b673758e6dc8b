package io.fenceline.hibernate;

import java.util.EnumSet;
import org.hibernate.StatelessSession;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** Fills {@link FenceColumn} attributes with the session's token. Instantiated by Hibernate; not for direct use. */
public final class FenceGeneration implements BeforeExecutionGenerator {

    private static final long serialVersionUID = 1L;

    /** Creates the generator; called by Hibernate. */
    public FenceGeneration() {}

    @Override
    public Object generate(
            SharedSessionContractImplementor session, Object owner, @Nullable Object current, EventType event) {
        FenceGate gate = FenceGate.of(session.getFactory());
        EntityPersister persister = session.getEntityPersister(null, owner);
        FencedEntity entity = gate.entity(persister);
        if (event == EventType.UPDATE && session instanceof StatelessSession && persister.isDynamicUpdate()) {
            throw new UnsupportedOperationException(
                    "entity " + entity.name() + ": in a stateless session Hibernate would write nothing"
                            + " but its @FenceColumn, since it is @DynamicUpdate; use a session, remove @DynamicUpdate, or remove"
                            + " @FenceColumn to fence the entity by the fence table");
        }
        String resource = entity.resourceOrTemplate(persister.getIdentifier(owner, session), owner, session);
        return entity.column().value(gate.fences(session).stampFor(resource).token());
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EventTypeSets.INSERT_AND_UPDATE;
    }
}
