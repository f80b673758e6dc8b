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
 * The fencing of one entity type.
 *
 * @param persister the entity's
 * @param resource names the fence of each row
 * @param texts of the identifier and of the attributes in the resource's name
 * @param rule how often a grant may write
 * @param fenceColumn where the row keeps its fence, or null if only the fence table does
 */
record FencedEntity(
        EntityPersister persister,
        ResourceTemplate resource,
        Map<String, KeyText> texts,
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

    private static Map<String, KeyText> texts(EntityPersister persister, ResourceTemplate resource) {
        Map<String, KeyText> texts = new HashMap<>();
        for (String name : resource.names()) {
            int index = Arrays.asList(persister.getPropertyNames()).indexOf(name);
            if (name.equals(ResourceTemplate.ID)) {
                texts.put(name, KeyText.of(name, persister.getIdentifierMapping()));
            } else if (index >= 0) { // else it is refused when the factory is built
                texts.put(name, KeyText.of(name, persister.getAttributeMapping(index)));
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

    /** Tells whether a new row has its name only when the database has numbered it. */
    boolean isNamedByInsert() {
        return resource.needsId() && persister.isIdentifierAssignedByInsert();
    }

    /**
     * Names the row's resource. The attributes are those that the row has: they cannot change, whatever the program assigns to a
     * managed entity.
     */
    String resourceOf(@Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return find(id, entity, session)
                .orElseThrow(() -> new IllegalArgumentException("resource '" + resource.text()
                        + "' cannot be named: the identifier or an attribute in it is null; assign it before " + name()
                        + " is written"));
    }

    /** The same where the row may have no identifier yet, or not be loaded; then the template stands for the name. */
    String resourceOrTemplate(@Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return find(id, entity, session).orElse(resource.text());
    }

    private Optional<String> find(
            @Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return resource.fill(
                name -> text(name).of(name.equals(ResourceTemplate.ID) ? id : value(name, entity, session), session));
    }

    /** Names the row's resource by what the columns of its identifier hold. */
    Optional<String> resourceOfKey(List<? extends @Nullable Object> key) {
        return resource.fill(
                name -> name.equals(ResourceTemplate.ID) ? text(name).ofColumns(key) : Optional.empty());
    }

    private KeyText text(String name) {
        KeyText text = texts.get(name);
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
