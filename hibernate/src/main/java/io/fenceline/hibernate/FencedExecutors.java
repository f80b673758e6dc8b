package io.fenceline.hibernate;

import java.util.Map;
import org.hibernate.engine.jdbc.mutation.MutationExecutor;
import org.hibernate.engine.jdbc.mutation.internal.StandardMutationExecutorService;
import org.hibernate.engine.jdbc.mutation.spi.BatchKeyAccess;
import org.hibernate.engine.jdbc.mutation.spi.MutationExecutorService;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.collection.mutation.CollectionMutationTarget;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.mutation.EntityMutationTarget;
import org.hibernate.service.spi.Configurable;
import org.hibernate.sql.model.EntityMutationOperationGroup;
import org.hibernate.sql.model.MutationOperationGroup;
import org.hibernate.sql.model.MutationTarget;
import org.hibernate.sql.model.MutationType;
import org.jspecify.annotations.Nullable;

/**
 * Makes Hibernate's executors of the SQL for single rows. Each row of a fenced entity that is inserted, updated or deleted, by a
 * session or a stateless one, passes one of them, which takes its fence first; the condition of a {@link FenceColumn} is added to
 * each UPDATE and DELETE. Found by Hibernate as a service; of no use otherwise.
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
        FenceGate gate = FenceGate.find(session.getFactory());
        if (gate == null || group.getNumberOfOperations() == 0) {
            return plain.createExecutor(batch, group, session);
        }
        EntityMutationOperationGroup rows = group.asEntityMutationOperationGroup();
        FencedEntity fenced = rows == null
                ? null
                : gate.find(rows.getMutationTarget().getTargetPart().getEntityPersister());
        if (rows == null || fenced == null) {
            MutationExecutor executor = plain.createExecutor(batch, group, session);
            return isAdmitted(gate, group.getMutationTarget(), session)
                    ? new AdmittedExecutor(executor, gate.statements())
                    : executor; // the gate for statements decides
        }
        boolean inserts = group.getMutationType() == MutationType.INSERT;
        ColumnCondition condition = fenced.hasColumn() && !inserts ? new ColumnCondition(fenced) : null;
        MutationExecutor executor =
                plain.createExecutor(batch, condition == null ? rows : condition.addTo(rows), session);
        return new FencedExecutor(
                new AdmittedExecutor(executor, gate.statements()),
                FencedRow.of(gate, fenced, session),
                inserts,
                condition,
                new KeyBindings(executor.getJdbcValueBindings(), fenced.persister()));
    }

    /** A collection's owner was asked by the event before; an entity that is not fenced has rows of its own among the others. */
    private static boolean isAdmitted(
            FenceGate gate, MutationTarget<?> target, SharedSessionContractImplementor session) {
        if (target instanceof CollectionMutationTarget collection) {
            EntityPersister owner =
                    collection.getTargetPart().getCollectionDescriptor().getOwnerEntityPersister();
            return gate.find(owner) != null;
        }
        return target instanceof EntityMutationTarget entity
                && gate.tables(session.getFactory())
                        .isRelative(entity.getTargetPart().getEntityPersister());
    }
}
