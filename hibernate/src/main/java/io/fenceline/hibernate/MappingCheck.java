package io.fenceline.hibernate;

import io.fenceline.ResourceName;
import java.lang.reflect.AccessibleObject;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.hibernate.MappingException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.internal.EmbeddedAttributeMapping;
import org.hibernate.persister.collection.AbstractCollectionPersister;
import org.hibernate.persister.collection.CollectionPersister;
import org.hibernate.persister.collection.mutation.CollectionMutationTarget;
import org.hibernate.persister.entity.EntityPersister;

/** Validates the annotations of a factory's entities when the factory is built, before the first write. */
record MappingCheck(FenceGate gate) {

    void check(SessionFactoryImplementor factory) {
        factory.getMappingMetamodel().forEachEntityDescriptor(this::check);
        FencedTables tables = gate.tables(factory);
        Map<String, FencedEntity> namedBy = new HashMap<>();
        factory.getMappingMetamodel().forEachEntityDescriptor(persister -> checkOneName(persister, namedBy));
        factory.getMappingMetamodel().forEachEntityDescriptor(persister -> checkUnfenced(persister, tables));
        Set<String> writtenByEntities = new HashSet<>();
        factory.getMappingMetamodel().forEachEntityDescriptor(persister -> {
            FencedEntity fenced = gate.find(persister);
            if (fenced != null) {
                writtenByEntities.addAll(fenced.tables());
            }
        });
        factory.getMappingMetamodel()
                .forEachCollectionDescriptor(collection -> checkCollection(collection, tables, writtenByEntities));
    }

    /** Entities of one table whose names differ would give its rows several fences. */
    private void checkOneName(EntityPersister persister, Map<String, FencedEntity> namedBy) {
        FencedEntity fenced = gate.find(persister);
        if (fenced != null) {
            for (String table : FencedTables.of(persister)) {
                namedBy.forEach((known, other) -> refuse(
                        FencedTables.mayBeOne(table, known) && !fenced.isNamedLike(other),
                        persister,
                        "is fenced as '" + fenced.resource().text() + "', and " + other.name() + ", which has rows in"
                                + " the same table " + known + ", as '"
                                + other.resource().text()
                                + "'; a row has one fence: give both the same name, made of the same columns"));
                namedBy.putIfAbsent(table, fenced);
            }
        }
    }

    /** Another entity on a fenced entity's table, a superclass or a sibling too, would write the row without its fence. */
    private void checkUnfenced(EntityPersister persister, FencedTables tables) {
        if (gate.find(persister) != null || !persister.isMutable() || persister.isAbstract()) {
            return;
        }
        Optional<String> shared = tables.sharedWith(FencedTables.of(persister));
        refuse(
                shared.isPresent(),
                persister,
                "is not fenced, but writes table " + shared.orElse("")
                        + ", which is a fenced entity's; annotate it with"
                        + " @Fenced too, or with @Immutable if it only reads");
    }

    /** A collection whose rows are those of fenced entities would change them without their fences, also under its owner's. */
    private void checkCollection(CollectionPersister collection, FencedTables tables, Set<String> writtenByEntities) {
        if (!(collection instanceof CollectionMutationTarget target) || !isWritten(collection, target)) {
            return;
        }
        EntityPersister owner = collection.getOwnerEntityPersister();
        String table = target.getCollectionTableMapping().getTableName();
        boolean isOfEntity = writtenByEntities.stream().anyMatch(known -> FencedTables.mayBeOne(known, table));
        if (collection.isOneToMany()) {
            refuse(
                    isOfEntity || isFenced(collection.getElementPersister()),
                    owner,
                    "has the collection " + collection.getRole() + ", which would change the rows of "
                            + collection.getElementPersister().getEntityName()
                            + " without their fences; map it with mappedBy,"
                            + " and an order of it by @OrderBy or by an attribute of the element");
        } else {
            String place = "has the collection " + collection.getRole() + " in table " + table;
            refuse(
                    isOfEntity,
                    owner,
                    place
                            + ", whose rows are a fenced entity's and have its fences; map the association with mappedBy, by an"
                            + " attribute of that entity");
            refuse(
                    gate.find(owner) == null
                            && tables.sharedWith(List.of(table)).isPresent(),
                    owner,
                    place
                            + ", which is a fenced entity's; annotate it with @Fenced too, or map the collection as read-only");
        }
    }

    /** Returns whether a collection writes rows. With mappedBy it still writes an order column or a map key. */
    private static boolean isWritten(CollectionPersister collection, CollectionMutationTarget target) {
        if (!collection.isOneToMany()) {
            return !collection.isInverse();
        }
        return target.hasPhysicalIndexColumn() || (!collection.isInverse() && writesKeys(collection));
    }

    /** Returns whether a collection sets the key of its owner in the rows of its elements: not if the column is neither insertable nor updatable. */
    private static boolean writesKeys(CollectionPersister collection) {
        return !(collection instanceof AbstractCollectionPersister rows)
                || rows.isRowInsertEnabled()
                || rows.isRowDeleteEnabled();
    }

    /** Returns whether an entity or one of its subclasses is fenced. */
    private boolean isFenced(EntityPersister persister) {
        return gate.find(persister) != null
                || persister.getSubMappingTypes().stream().anyMatch(sub -> gate.find(sub.getEntityPersister()) != null);
    }

    private void check(EntityPersister persister) {
        checkEmbeddables(persister);
        long columns = Arrays.stream(persister.getGenerators())
                .filter(FenceGeneration.class::isInstance)
                .count();
        FencedEntity fenced = gate.find(persister);
        if (fenced == null) {
            refuse(columns > 0, persister, "has @FenceColumn, but is not annotated with @Fenced(resource = …)");
            return;
        }
        refuse(columns > 1, persister, "has " + columns + " attributes with @FenceColumn; it can have one");
        for (String name : fenced.resource().names()) {
            checkGap(persister, fenced, name);
        }
        if (fenced.resource().names().isEmpty()) {
            ResourceName.of(fenced.resource().text()); // throws if it is no valid name
        }
        if (fenced.hasColumn()) {
            checkColumn(persister, fenced);
        }
    }

    private static void checkGap(EntityPersister persister, FencedEntity fenced, String name) {
        AttributeText text = fenced.texts().get(name);
        if (text == null) {
            refuse(
                    true,
                    persister,
                    "is fenced as '" + fenced.resource().text() + "', but has no attribute '" + name + "'");
            return;
        }
        Optional<String> problem = text.problem();
        refuse(
                problem.isPresent(),
                persister,
                "is fenced by " + problem.orElse("")
                        + "; name the fence by an attribute that is stored as a text, a whole or decimal number, a UUID or"
                        + " bytes, or by an association");
        if (name.equals(ResourceTemplate.ID)) {
            return;
        }
        int index = persister.getPropertyIndex(name);
        refuse(
                persister.getPropertyUpdateability()[index],
                persister,
                "is fenced by '" + name + "', which can change, and with it the fence;"
                        + " map it with @Column(updatable = false), or name the fence by {id}");
        refuse(
                persister.getPropertyTypes()[index].isMutable(),
                persister,
                "is fenced by '" + name + "', whose value can be changed in place, and with it the fence;"
                        + " name the fence by {id} or by an attribute that is no array or embedded value");
        refuse(
                !persister.getPropertyInsertability()[index] || persister.getGenerators()[index] != null,
                persister,
                "is fenced by '" + name + "', whose value the database or a generator gives, and not the program;"
                        + " assign it before the insert, or name the fence by {id}");
    }

    private static void checkColumn(EntityPersister persister, FencedEntity fenced) {
        Class<?> type = fenced.column()
                .column()
                .getJdbcMapping()
                .getJavaTypeDescriptor()
                .getJavaTypeClass();
        refuse(
                type != Long.class && type != String.class,
                persister,
                "has a @FenceColumn of type " + type.getSimpleName() + "; it is long, Long or String");
        refuse(
                !fenced.column().column().isUpdateable(),
                persister,
                "has a @FenceColumn that is not updatable, which Hibernate would not write; leave updatable = false out");
        refuse(
                persister.optimisticLockStyle().isAllOrDirty()
                        && persister.getPropertyVersionability()[fenced.column().property()],
                persister,
                "has @OptimisticLocking by columns, which compares the @FenceColumn though the guard raises it;"
                        + " annotate it with @OptimisticLock(excluded = true) too");
        refuse(
                keepsPastRows(persister.getMappedClass()),
                persister,
                "is @Temporal and has a @FenceColumn, which past rows under the same identifier have too; remove it, to"
                        + " fence the entity by the fence table");
        String first = persister.getIdentifierTableMapping().getTableName();
        refuse(
                !persister
                        .physicalTableNameForMutation(fenced.column().column())
                        .equals(first),
                persister,
                "has its @FenceColumn in table " + fenced.column().table() + "; it belongs to the first table, "
                        + first);
    }

    /** By the annotation's name, since it is new in Hibernate 7.4. */
    private static boolean keepsPastRows(Class<?> type) {
        return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                .flatMap(each -> Stream.of(each.getDeclaredAnnotations()))
                .anyMatch(each -> each.annotationType().getName().equals("org.hibernate.annotations.Temporal"));
    }

    private static void checkEmbeddables(EntityPersister persister) {
        for (int i = 0; i < persister.getNumberOfAttributeMappings(); i++) {
            AttributeMapping attribute = persister.getAttributeMapping(i);
            if (attribute instanceof EmbeddedAttributeMapping embedded) {
                EmbeddableMappingType embeddable = embedded.getEmbeddableTypeDescriptor();
                Class<?> type = embeddable.getMappedJavaType().getJavaTypeClass();
                refuse(
                        !type.isAssignableFrom(persister.getMappedClass()) // as it is with @IdClass
                                && (type.isAnnotationPresent(Fenced.class)
                                        || members(type).anyMatch(m -> m.isAnnotationPresent(FenceColumn.class))),
                        persister,
                        "embeds " + type.getName() + ", which has @Fenced or @FenceColumn; these belong to the entity");
            }
        }
    }

    static Stream<AccessibleObject> members(Class<?> type) {
        return Stream.<Class<?>>iterate(
                        type, each -> each != null && each != Object.class, each -> each.getSuperclass())
                .flatMap(each -> Stream.concat(
                        Arrays.stream(each.getDeclaredFields()), Arrays.stream(each.getDeclaredMethods())));
    }

    private static void refuse(boolean wrong, EntityPersister persister, String message) {
        if (wrong) {
            throw new MappingException("entity " + persister.getEntityName() + " " + message);
        }
    }
}
