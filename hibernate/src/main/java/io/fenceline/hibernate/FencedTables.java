package io.fenceline.hibernate;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.collection.CollectionPersister;
import org.hibernate.persister.collection.mutation.CollectionMutationTarget;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.model.TableMapping;

/** Tables of a factory's fenced entities and of the collections that they own. Finds statements that write to them. */
final class FencedTables {

    /** Cache limit: statements with literals are unbounded in number. */
    private static final int MAX_CACHED = 5_000;

    private static final Pattern QUOTES = Pattern.compile("[\"`\\[\\]]");

    /** By the name as Hibernate writes it, possibly with a schema and quotes. */
    private final Map<String, SqlTargets.Table> names;

    private final Map<String, Optional<String>> written = new ConcurrentHashMap<>();

    private FencedTables(Set<String> names) {
        this.names = names.stream().collect(Collectors.toUnmodifiableMap(name -> name, SqlTargets.Table::of));
    }

    static FencedTables of(SessionFactoryImplementor factory, FenceGate gate) {
        Set<String> names = new LinkedHashSet<>();
        factory.getMappingMetamodel().forEachEntityDescriptor(persister -> {
            if (gate.find(persister) != null) {
                names.addAll(of(persister));
            }
        });
        factory.getMappingMetamodel().forEachCollectionDescriptor(collection -> {
            // The table of a one-to-many association belongs to the other entity, which has its own annotation.
            if (!collection.isInverse()
                    && !collection.isOneToMany()
                    && gate.find(collection.getOwnerEntityPersister()) != null) {
                of(collection).ifPresent(names::add);
            }
        });
        return new FencedTables(names);
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

    /** Returns one of these tables that a statement declares to write. */
    Optional<String> among(Collection<String> affected) {
        return affected.stream().filter(names::containsKey).findFirst();
    }

    /** Returns one of these tables that is one of an entity's or collection's, too. */
    Optional<String> sharedWith(Collection<String> tables) {
        return tables.stream()
                .filter(table -> names.keySet().stream().anyMatch(name -> mayBeOne(name, table)))
                .findFirst();
    }

    /** Returns whether two names are of one table for all that they say: one without a schema may be in any. */
    static boolean mayBeOne(String name, String other) {
        String path = path(name);
        String otherPath = path(other);
        return path.endsWith(otherPath) || otherPath.endsWith(path);
    }

    private static String path(String name) {
        return '.' + QUOTES.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
    }

    /** Returns one of these tables that an SQL text may write. */
    Optional<String> writtenBy(String sql) {
        if (written.size() > MAX_CACHED) {
            written.clear();
        }
        Optional<String> known = written.get(sql);
        if (known == null) { // not computed in the map, which would hold up other statements meanwhile
            known = tableWrittenBy(sql);
            written.put(sql, known);
        }
        return known;
    }

    private Optional<String> tableWrittenBy(String sql) {
        SqlTargets targets = SqlTargets.of(sql);
        return names.entrySet().stream()
                .filter(table -> targets.contains(table.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
