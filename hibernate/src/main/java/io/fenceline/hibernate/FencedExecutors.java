package io.fenceline.hibernate;

import java.util.Map;
import java.util.stream.IntStream;
import org.hibernate.engine.jdbc.mutation.MutationExecutor;
import org.hibernate.engine.jdbc.mutation.internal.StandardMutationExecutorService;
import org.hibernate.engine.jdbc.mutation.spi.BatchKeyAccess;
import org.hibernate.engine.jdbc.mutation.spi.MutationExecutorService;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.collection.mutation.CollectionMutationTarget;
import org.hibernate.service.spi.Configurable;
import org.hibernate.sql.model.EntityMutationOperationGroup;
import org.hibernate.sql.model.MutationOperationGroup;
import org.hibernate.sql.model.MutationTarget;
import org.hibernate.sql.model.MutationType;
import org.jspecify.annotations.Nullable;

/**
 * Creates Hibernate's executors of the SQL for single rows. Each insert, update or delete of a fenced entity, in a stateful or
 * stateless session, uses one of them, which takes the fence first and adds the condition of a {@link FenceColumn} to each UPDATE and
 * DELETE. Found by Hibernate as a service; not for direct use.
 */
public final class FencedExecutors implements MutationExecutorService, Configurable {

    private static final long serialVersionUID = 1L;

    private transient @Nullable MutationExecutorService plain;

    /** Creates the service; called by Hibernate, which then configures it. */
    public FencedExecutors() {}

    @Override
    public void configure(Map<String, Object> configuration) {
        plain = new StandardMutationExecutorService(configuration);
    }

    @Override
    public MutationExecutor createExecutor(
            BatchKeyAccess batch, MutationOperationGroup group, SharedSessionContractImplementor session) {
        if (plain == null) {
            throw new IllegalStateException("the service is not configured; only Hibernate may create it");
        }
        FenceGate gate = FenceGate.find(session.getFactory());
        if (gate == null || group.getNumberOfOperations() == 0) {
            return plain.createExecutor(batch, group, session);
        }
        EntityMutationOperationGroup rows = group.asEntityMutationOperationGroup();
        FencedEntity fenced = rows == null
                ? null
                : gate.find(rows.getMutationTarget().getTargetPart().getEntityPersister());
        if (rows == null || fenced == null || isHistory(rows, fenced)) {
            MutationExecutor executor = plain.createExecutor(batch, group, session);
            return fenced != null || isAdmitted(gate, group.getMutationTarget())
                    ? new AdmittedExecutor(executor, gate.statements())
                    : executor; // StatementGate decides
        }
        boolean inserts = group.getMutationType() == MutationType.INSERT;
        ColumnCondition condition = fenced.hasColumn() && !inserts ? new ColumnCondition(fenced) : null;
        MutationExecutor executor =
                plain.createExecutor(batch, condition == null ? rows : condition.addTo(rows), session);
        return new FencedExecutor(
                new AdmittedExecutor(executor, gate.statements()),
                EntityRow.of(gate, fenced, session),
                inserts,
                condition,
                new KeyBindings(executor.getJdbcValueBindings(), fenced.persister(), inserts));
    }

    /** Returns whether none of the rows is the entity's own: an audit or history table follows a change whose fence is taken. */
    private static boolean isHistory(EntityMutationOperationGroup rows, FencedEntity fenced) {
        return IntStream.range(0, rows.getNumberOfOperations())
                .mapToObj(i -> rows.getOperation(i).getTableDetails().getTableName())
                .noneMatch(fenced.tables()::contains);
    }

    /** Returns whether the rows are those of a collection, whose owner's fence was checked by its event. */
    private static boolean isAdmitted(FenceGate gate, MutationTarget<?> target) {
        return target instanceof CollectionMutationTarget collection
                && gate.find(collection
                                .getTargetPart()
                                .getCollectionDescriptor()
                                .getOwnerEntityPersister())
                        != null;
    }
}
