package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.bytecode.enhance.spi.LazyPropertyInitializer;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.EntityIdentifierMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * Fence configuration of one entity type.
 *
 * @param tables those that a change of a row is written to; not those of its history
 * @param texts the attributes in the resource name
 * @param fenceColumn null if only the fence table stores fences
 * @param checked whether the entity's tables are known to have transactions
 */
record FencedEntity(
        EntityPersister persister,
        Set<String> tables,
        ResourceTemplate resource,
        Map<String, AttributeText> texts,
        FenceRule rule,
        @Nullable FenceColumnMapping fenceColumn,
        AtomicBoolean checked) {

    static @Nullable FencedEntity of(EntityPersister persister) {
        Fenced fenced = persister.getMappedClass().getAnnotation(Fenced.class);
        if (fenced == null) {
            return null;
        }
        ResourceTemplate resource = ResourceTemplate.of(fenced.resource());
        return new FencedEntity(
                persister,
                tables(persister),
                resource,
                texts(persister, resource),
                fenced.rule(),
                FenceColumnMapping.of(persister),
                new AtomicBoolean());
    }

    private static Set<String> tables(EntityPersister persister) {
        Set<String> tables = new HashSet<>();
        persister.forEachMutableTable(table -> tables.add(table.getTableName()));
        return Set.copyOf(tables);
    }

    private static Map<String, AttributeText> texts(EntityPersister persister, ResourceTemplate resource) {
        Map<String, AttributeText> texts = new HashMap<>();
        boolean isAlone = resource.hasOnePlaceholder();
        for (String name : resource.names()) {
            int index = Arrays.asList(persister.getPropertyNames()).indexOf(name);
            if (name.equals(ResourceTemplate.ID)) {
                texts.put(name, AttributeText.of(persister, name, identifier(persister), isAlone));
            } else if (index >= 0) { // otherwise MappingCheck refuses it
                texts.put(name, AttributeText.of(persister, name, persister.getAttributeMapping(index), isAlone));
            }
        }
        return Map.copyOf(texts);
    }

    /** Returns the identifier as the root's table has it: those of subclasses may call its columns otherwise. */
    static EntityIdentifierMapping identifier(EntityPersister persister) {
        return persister.getRootEntityDescriptor().getIdentifierMapping();
    }

    /** Returns whether this and another entity give a row the same name. */
    boolean isNamedLike(FencedEntity other) {
        return resource.equals(other.resource) && columnNames().equals(other.columnNames());
    }

    private Map<String, List<String>> columnNames() {
        return texts.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, text -> text.getValue().columnNames()));
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

    /** Converts an identifier as Hibernate's {@code find} does: 42 names a row whose identifier is a Long. */
    Object identifier(Object given) {
        EntityIdentifierMapping identifiers = identifier(persister);
        if (identifiers.isVirtual()) {
            return given;
        }
        JavaType<?> type = identifiers.getJavaType();
        Object id = null;
        RuntimeException failure = null;
        try {
            id = type.coerce(given);
        } catch (RuntimeException e) {
            failure = e;
        }
        if (id == null || !type.isInstance(id)) {
            throw new IllegalArgumentException(
                    "'" + given + "' is no identifier of " + name() + "; its identifiers are of type "
                            + type.getJavaTypeClass().getName(),
                    failure);
        }
        return id;
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
     * to a managed entity, or has in an object that this session has not loaded.
     */
    String resourceOf(@Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return named(find(id, entity, session));
    }

    /**
     * Returns the resource name of a row that is inserted.
     *
     * @param state what Hibernate inserts: the object may have changed since it was persisted
     */
    String resourceOfState(@Nullable Object id, Object[] state, SharedSessionContractImplementor session) {
        return named(fill(
                id, attribute -> text(attribute).of(state[persister.getPropertyIndex(attribute)], session), session));
    }

    /** Returns the resource name of a row whose insert is prepared, from what is sent. */
    String resourceOfInsert(KeyBindings bindings, SharedSessionContractImplementor session) {
        ensureTransactional(session);
        return named(resource.fill(name -> text(name).ofInserted(bindings, session)));
    }

    private String named(Optional<String> name) {
        return name.orElseThrow(() -> new IllegalArgumentException("resource '" + resource.text()
                + "' cannot be named: the identifier or an attribute in it is null; assign it before " + name()
                + " is persisted"));
    }

    /** Like {@link #resourceOf}, but returns the template for a row without an id or that is not loaded. */
    String resourceOrTemplate(@Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return find(id, entity, session).orElse(resource.text());
    }

    private Optional<String> find(
            @Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        return fill(id, attribute -> stored(attribute, id, entity, session), session);
    }

    private Optional<String> fill(
            @Nullable Object id,
            Function<String, Optional<String>> attributes,
            SharedSessionContractImplementor session) {
        ensureTransactional(session);
        return resource.fill(
                name -> name.equals(ResourceTemplate.ID) ? text(name).of(id, session) : attributes.apply(name));
    }

    /** Returns the resource name of a row, from the values of its id columns. */
    Optional<String> resourceOfKey(List<? extends @Nullable Object> key, SharedSessionContractImplementor session) {
        ensureTransactional(session);
        return resource.fill(
                name -> name.equals(ResourceTemplate.ID) ? text(name).ofColumns(key, session) : Optional.empty());
    }

    private void ensureTransactional(SharedSessionContractImplementor session) {
        if (!checked.get()) {
            session.doWork(connection -> StoredColumn.ensureTransactional(connection, FencedTables.of(persister)));
            checked.set(true);
        }
    }

    private AttributeText text(String name) {
        AttributeText text = texts.get(name);
        if (text == null) {
            throw new IllegalStateException("entity " + name() + " has no attribute '" + name + "'");
        }
        return text;
    }

    private Optional<String> stored(
            String attribute, @Nullable Object id, @Nullable Object entity, SharedSessionContractImplementor session) {
        if (entity == null) {
            return Optional.empty();
        }
        int index = persister.getPropertyIndex(attribute);
        EntityEntry entry = session.getPersistenceContextInternal().getEntry(entity);
        Object[] loaded = entry == null ? null : entry.getLoadedState();
        if (loaded != null && loaded[index] != LazyPropertyInitializer.UNFETCHED_PROPERTY) {
            return text(attribute).of(loaded[index], session);
        }
        // Read-only, or not loaded by this session, as nothing is by a stateless one: the object may differ from the
        // row.
        Object[] row = id == null ? null : persister.getDatabaseSnapshot(id, session);
        return row == null ? given(attribute, entity, session) : text(attribute).ofSnapshot(row[index], session);
    }

    private Optional<String> given(String attribute, Object entity, SharedSessionContractImplementor session) {
        return text(attribute).of(persister.getValue(entity, persister.getPropertyIndex(attribute)), session);
    }
}
