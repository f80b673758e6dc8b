package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * How one kind of entity is fenced.
 *
 * @param name the entity's
 * @param resource names the fence of each row
 * @param rule how often a grant may write
 * @param fenceColumn where the row keeps its fence, or null if only the fence table does
 */
record FencedEntity(
        String name,
        ResourceTemplate resource,
        FenceRule rule,
        @Nullable FenceColumnMapping fenceColumn) {

    static @Nullable FencedEntity of(EntityPersister persister) {
        Fenced fenced = persister.getMappedClass().getAnnotation(Fenced.class);
        return fenced == null
                ? null
                : new FencedEntity(
                        persister.getEntityName(),
                        ResourceTemplate.of(fenced.resource()),
                        fenced.rule(),
                        FenceColumnMapping.of(persister));
    }

    FenceColumnMapping column() {
        if (fenceColumn == null) {
            throw new IllegalStateException("entity " + name + " has no attribute with @FenceColumn");
        }
        return fenceColumn;
    }

    boolean hasColumn() {
        return fenceColumn != null;
    }

    /** Names the row's resource from its identifier and the state that is to be written, or was read. */
    String resourceOf(
            EntityPersister persister, @Nullable Object id, @Nullable Object entity, Object @Nullable [] state) {
        return resource.fill(attribute -> {
            if (attribute.equals(ResourceTemplate.ID)) {
                return id;
            }
            int index = persister.getPropertyIndex(attribute);
            if (state != null) {
                return state[index];
            }
            return entity == null ? null : persister.getValue(entity, index);
        });
    }

    /** The same where the row may have no identifier yet, or not be loaded; then the template stands for the name. */
    String resourceOrTemplate(EntityPersister persister, @Nullable Object id, @Nullable Object entity) {
        boolean nameable = resource.names().stream()
                .allMatch(name -> name.equals(ResourceTemplate.ID) ? id != null : entity != null);
        return nameable ? resourceOf(persister, id, entity, null) : resource.text();
    }
}
