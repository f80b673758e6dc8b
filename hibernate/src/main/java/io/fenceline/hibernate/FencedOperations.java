package io.fenceline.hibernate;

import java.util.List;
import org.hibernate.persister.entity.mutation.EntityMutationTarget;
import org.hibernate.sql.model.EntityMutationOperationGroup;
import org.hibernate.sql.model.MutationOperation;
import org.hibernate.sql.model.MutationType;

/**
 * Hibernate's operations for one change of one entity, some of them with a condition on the fence.
 */
record FencedOperations(EntityMutationOperationGroup plain, List<MutationOperation> operations)
        implements EntityMutationOperationGroup {

    @Override
    public MutationType getMutationType() {
        return plain.getMutationType();
    }

    @Override
    public EntityMutationTarget getMutationTarget() {
        return plain.getMutationTarget();
    }

    @Override
    public int getNumberOfOperations() {
        return operations.size();
    }

    @Override
    public MutationOperation getSingleOperation() {
        if (operations.size() != 1) {
            throw new IllegalStateException("there are " + operations.size() + " operations, not one");
        }
        return operations.get(0);
    }

    @Override
    public MutationOperation getOperation(int index) {
        return operations.get(index);
    }

    @Override
    public MutationOperation getOperation(String table) {
        return operations.stream()
                .filter(operation -> operation.getTableDetails().getTableName().equals(table))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no operation for table '" + table + "'"));
    }
}
