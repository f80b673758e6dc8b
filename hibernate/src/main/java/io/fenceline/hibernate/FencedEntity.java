package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Fence configuration of one entity type.
 *
 * @param texts the attributes in the resource name
 * @param fenceColumn null if only the fence table stores fences
 */
record FencedEntity(
        EntityPersister persister,
        ResourceTemplate resource,
        Map<String, AttributeText> texts,
        FenceRule rule,
        @Nullable FenceColumnMapping fenceColumn) {

    static @Nullable FencedEntity of(EntityPersister persister) {
        Fenced fenced = persister.getMappedClass().getAnnotation(Fenced.class);
        if (fenced == null) {
            return null;
        }
        ResourceTemplate resource = ResourceTemplate.of(fenced.resource());
        return new FencedEntity(
                persister, resource, texts(persister, resource), fenced.rule(), FenceColumnMapping.of(persister));
    }

    private static Map<String, AttributeText> texts(EntityPersister persister, ResourceTemplate resource) {
        Map<String, AttributeText> texts = new HashMap<>();
        for (String name : resource.names()) {
            int index = Arrays.asList(persister.getPropertyNames()).indexOf(name);
            if (name.equals(ResourceTemplate.ID)) {
                texts.put(name, AttributeText.of(name, persister.getIdentifierMapping()));
            } else if (index >= 0) { // otherwise MappingCheck refuses it
                texts.put(name, AttributeText.of(name, persister.getAttributeMapping(index)));
            }
        }
        return Map.copyOf(texts);
    }

    String name() {
        return persister.getEntityName();
    }

    FenceColumnMapping column() {
        if (fenceColumn == null) {
            throw new IllegalStateException("entity " + name() + " has no attribute with @FenceColumn");
        }
        return fenceColumn;
    }

    boolean hasColumn() {
        return fenceColumn != null;
    }

    /** Returns whether a new row gets its name only with its generated id. */
    boolean isNamedByInsert() {
        return resource.needsId() && persister.isIdentifierAssignedByInsert();
    }

    /**
     * Returns the resource name of a row, from the attributes in the database: they cannot change, whatever the program assigns
     * to a managed entity.
     */
    String resourceOf(@Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return find(id, entity, session)
                .orElseThrow(() -> new IllegalArgumentException("resource '" + resource.text()
                        + "' cannot be named: the identifier or an attribute in it is null; assign it before " + name()
                        + " is written"));
    }

    /** Like {@link #resourceOf}, but returns the template for a row without an id or that is not loaded. */
    String resourceOrTemplate(@Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return find(id, entity, session).orElse(resource.text());
    }

    private Optional<String> find(
            @Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return resource.fill(
                name -> text(name).of(name.equals(ResourceTemplate.ID) ? id : value(name, entity, session), session));
    }

    /** Returns the resource name of a row, from the values of its id columns. */
    Optional<String> resourceOfKey(List<? extends @Nullable Object> key) {
        return resource.fill(
                name -> name.equals(ResourceTemplate.ID) ? text(name).ofColumns(key) : Optional.empty());
    }

    private AttributeText text(String name) {
        AttributeText text = texts.get(name);
        if (text == null) {
            throw new IllegalStateException("entity " + name() + " has no attribute '" + name + "'");
        }
        return text;
    }

    private @Nullable Object value(
            String attribute, @Nullable Object entity, SharedSessionContractImplementor session) {
        if (entity == null) {
            return null;
        }
        int index = persister.getPropertyIndex(attribute);
        EntityEntry entry = session.getPersistenceContextInternal().getEntry(entity);
        Object[] loaded = entry == null || !entry.isExistsInDatabase() ? null : entry.getLoadedState();
        return loaded == null ? persister.getValue(entity, index) : loaded[index];
    }
}
