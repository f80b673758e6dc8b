package io.fenceline.hibernate;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.collection.mutation.CollectionMutationTarget;
import org.hibernate.sql.model.TableMapping;

/**
 * The tables of a factory's fenced entities and of their collections.
 *
 * @param names as Hibernate writes them, which may be with a schema and quoted
 */
record FencedTables(Set<String> names) {

    static FencedTables of(SessionFactoryImplementor factory, FenceGate gate) {
        Set<String> names = new LinkedHashSet<>();
        factory.getMappingMetamodel().forEachEntityDescriptor(persister -> {
            if (gate.find(persister) != null) {
                for (TableMapping table : persister.getTableMappings()) {
                    names.add(table.getTableName());
                }
            }
        });
        factory.getMappingMetamodel().forEachCollectionDescriptor(collection -> {
            if (!collection.isInverse()
                    && gate.find(collection.getOwnerEntityPersister()) != null
                    && collection instanceof CollectionMutationTarget target) {
                names.add(target.getCollectionTableMapping().getTableName());
            }
        });
        return new FencedTables(Set.copyOf(names));
    }

    /** Returns one of these that a statement says it writes. */
    Optional<String> among(Collection<String> affected) {
        return affected.stream().filter(names::contains).findFirst();
    }

    /** Returns one of these that a text of SQL names. It reads words, not SQL, and so errs on the side of refusing. */
    Optional<String> namedIn(String sql) {
        String text = sql.toLowerCase(Locale.ROOT);
        return names.stream().filter(name -> word(name).matcher(text).find()).findFirst();
    }

    private static Pattern word(String table) {
        String bare = table.substring(table.lastIndexOf('.') + 1).replaceAll("[\"`\\[\\]]", "");
        return Pattern.compile("(?<![\\w$])" + Pattern.quote(bare.toLowerCase(Locale.ROOT)) + "(?![\\w$])");
    }
}
