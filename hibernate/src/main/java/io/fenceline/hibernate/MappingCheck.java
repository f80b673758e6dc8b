package io.fenceline.hibernate;

import java.lang.reflect.AccessibleObject;
import java.util.Arrays;
import java.util.stream.Stream;
import org.hibernate.MappingException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.internal.EmbeddedAttributeMapping;
import org.hibernate.persister.entity.EntityPersister;

/** Finds what is wrong with the fences of a factory's entities, when the factory is built and not at the first write. */
record MappingCheck(FenceGate gate) {

    void check(SessionFactoryImplementor factory) {
        factory.getMappingMetamodel().forEachEntityDescriptor(this::check);
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
            fenced.resourceOf(persister, null, null, null); // is it a name?
        }
        if (fenced.hasColumn()) {
            checkColumn(persister, fenced);
        }
    }

    private static void checkGap(EntityPersister persister, FencedEntity fenced, String name) {
        if (name.equals(ResourceTemplate.ID)) {
            return;
        }
        int index = Arrays.asList(persister.getPropertyNames()).indexOf(name);
        refuse(
                index < 0,
                persister,
                "is fenced as '" + fenced.resource().text() + "', but has no attribute '" + name + "'");
        refuse(
                persister.getPropertyUpdateability()[index],
                persister,
                "is fenced by '" + name + "', which can change, and with it the fence;"
                        + " map it with @Column(updatable = false), or name the fence by {id}");
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
        String first = persister.getIdentifierTableMapping().getTableName();
        refuse(
                !persister
                        .physicalTableNameForMutation(fenced.column().column())
                        .equals(first),
                persister,
                "has its @FenceColumn in table " + fenced.column().table() + "; it belongs to the first table, "
                        + first);
    }

    private static void checkEmbeddables(EntityPersister persister) {
        for (int i = 0; i < persister.getNumberOfAttributeMappings(); i++) {
            AttributeMapping attribute = persister.getAttributeMapping(i);
            if (attribute instanceof EmbeddedAttributeMapping embedded) {
                EmbeddableMappingType embeddable = embedded.getEmbeddableTypeDescriptor();
                Class<?> type = embeddable.getMappedJavaType().getJavaTypeClass();
                refuse(
                        type.isAnnotationPresent(Fenced.class)
                                || members(type).anyMatch(m -> m.isAnnotationPresent(FenceColumn.class)),
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
