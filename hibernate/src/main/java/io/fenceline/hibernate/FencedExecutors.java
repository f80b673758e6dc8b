package io.fenceline.hibernate;

import java.util.Map;
import org.hibernate.engine.jdbc.mutation.MutationExecutor;
import org.hibernate.engine.jdbc.mutation.internal.StandardMutationExecutorService;
import org.hibernate.engine.jdbc.mutation.spi.BatchKeyAccess;
import org.hibernate.engine.jdbc.mutation.spi.MutationExecutorService;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.service.spi.Configurable;
import org.hibernate.sql.model.EntityMutationOperationGroup;
import org.hibernate.sql.model.MutationOperationGroup;
import org.hibernate.sql.model.MutationType;
import org.jspecify.annotations.Nullable;

/**
 * Makes Hibernate's executors of SQL, and adds the condition of a {@link FenceColumn} to each UPDATE and DELETE of such an
 * entity. Found by Hibernate as a service; of no use otherwise.
 */
public final class FencedExecutors implements MutationExecutorService, Configurable {

    private static final long serialVersionUID = 1L;

    private transient @Nullable MutationExecutorService plain;

    /** Creates the service; called by Hibernate, which configures it then. */
    public FencedExecutors() {}

    @Override
    public void configure(Map<String, Object> configuration) {
        plain = new StandardMutationExecutorService(configuration);
    }

    @Override
    public MutationExecutor createExecutor(
            BatchKeyAccess batch, MutationOperationGroup group, SharedSessionContractImplementor session) {
        if (plain == null) {
            throw new IllegalStateException("the service is not configured; it is Hibernate that makes it");
        }
        EntityMutationOperationGroup ofEntity = group.asEntityMutationOperationGroup();
        if (ofEntity == null || group.getNumberOfOperations() == 0 || group.getMutationType() == MutationType.INSERT) {
            return plain.createExecutor(batch, group, session);
        }
        FenceGate gate = FenceGate.find(session.getFactory());
        EntityPersister persister = ofEntity.getMutationTarget().getTargetPart().getEntityPersister();
        FencedEntity fenced = gate == null ? null : gate.find(persister);
        if (gate == null || fenced == null || !fenced.hasColumn()) {
            return plain.createExecutor(batch, group, session);
        }
        ColumnCondition condition = new ColumnCondition(fenced);
        FencedOperations operations = condition.addTo(ofEntity);
        MutationExecutor executor = plain.createExecutor(batch, operations, session);
        return new FencedExecutor(executor, FencedRow.of(gate, fenced, persister, session), persister, condition);
    }
}
