package io.fenceline.hibernate;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.collection.CollectionPersister;
import org.hibernate.persister.collection.mutation.CollectionMutationTarget;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.model.TableMapping;

/** The tables of a factory's fenced entities and of the collections that they own, and the statements that write to them. */
final class FencedTables {

    /** Texts with literals in them are without number. */
    private static final int KEPT_TEXTS = 5_000;

    /** By name, as Hibernate writes it, which may be with a schema and quoted. */
    private final Map<String, List<String>> names;

    private final Set<String> roots;
    private final Map<String, Optional<String>> written = new ConcurrentHashMap<>();

    private FencedTables(Set<String> names, Set<String> roots) {
        this.names = names.stream().collect(Collectors.toUnmodifiableMap(name -> name, SqlTargets::name));
        this.roots = Set.copyOf(roots);
    }

    static FencedTables of(SessionFactoryImplementor factory, FenceGate gate) {
        Set<String> names = new LinkedHashSet<>();
        Set<String> roots = new LinkedHashSet<>();
        factory.getMappingMetamodel().forEachEntityDescriptor(persister -> {
            if (gate.find(persister) != null) {
                roots.add(persister.getRootEntityName());
                names.addAll(of(persister));
            }
        });
        factory.getMappingMetamodel().forEachCollectionDescriptor(collection -> {
            // The table of a one-to-many association is that of the other entity, which says itself whether it is
            // fenced.
            if (!collection.isInverse()
                    && !collection.isOneToMany()
                    && gate.find(collection.getOwnerEntityPersister()) != null) {
                of(collection).ifPresent(names::add);
            }
        });
        return new FencedTables(names, roots);
    }

    static Set<String> of(EntityPersister persister) {
        Set<String> names = new LinkedHashSet<>();
        for (TableMapping table : persister.getTableMappings()) {
            names.add(table.getTableName());
        }
        return names;
    }

    static Optional<String> of(CollectionPersister collection) {
        return collection instanceof CollectionMutationTarget target
                ? Optional.of(target.getCollectionTableMapping().getTableName())
                : Optional.empty();
    }

    /** Tells whether the entity's rows are in tables with those of a fenced one: by inheritance, each row is of one of them. */
    boolean isRelative(EntityPersister persister) {
        return roots.contains(persister.getRootEntityName());
    }

    /** Returns one of these that a statement says it writes. */
    Optional<String> among(Collection<String> affected) {
        return affected.stream().filter(names::containsKey).findFirst();
    }

    /** Returns one of these that a text of SQL writes, or may write. */
    Optional<String> writtenBy(String sql) {
        if (written.size() > KEPT_TEXTS) {
            written.clear();
        }
        return written.computeIfAbsent(sql, text -> {
            SqlTargets targets = SqlTargets.of(text);
            return names.entrySet().stream()
                    .filter(table -> targets.contains(table.getValue()))
                    .map(Map.Entry::getKey)
                    .findFirst();
        });
    }
}
