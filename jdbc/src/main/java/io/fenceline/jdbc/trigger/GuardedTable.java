package io.fenceline.jdbc.trigger;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ResourceKey;
import java.text.Normalizer;
import java.util.List;

/**
 * A table that triggers guard: every row is a resource, named {@code prefix} and the row's key.
 *
 * @param table the table as SQL writes it, perhaps after a schema and a dot, perhaps in double quotes
 * @param key the columns that name a row, as SQL writes them; those of the primary key, as a rule
 * @param prefix what the resources' names begin with, for instance {@code orders/}
 * @param rule how often a grant may write to one row
 * @param mode what happens to a write that is refused
 */
public record GuardedTable(String table, List<String> key, String prefix, FenceRule rule, Mode mode) {

    /** The treatment of a write without a token, or with one that is stale or of another lock. */
    public enum Mode {
        /** It fails, and its statement with it. */
        ENFORCE,
        /** It is made and counted. For the time before all writers show their tokens. */
        OBSERVE
    }

    /** Prefix of the tables that Fenceline makes for itself. */
    private static final String OWN = "fenceline_";

    /**
     * Checks that there is a key, and that the table is not one of Fenceline's own: a trigger there would refuse every lock and every
     * guarded write. Brings the prefix into Unicode's form NFC, as all names of resources are.
     *
     * @throws IllegalArgumentException if no column is named, or the table's name begins with {@code fenceline_}
     */
    public GuardedTable {
        key = List.copyOf(key);
        prefix = Normalizer.normalize(prefix, Normalizer.Form.NFC);
        if (key.isEmpty()) {
            throw new IllegalArgumentException(
                    "no key column of table " + table + " is named; rows need a name, as a rule the primary key");
        }
        if (ResourceKey.table(table).startsWith(OWN)) {
            throw new IllegalArgumentException(
                    "table " + table + " is one of Fenceline's own, as are all whose names begin with " + OWN
                            + "; guard the tables of your application");
        }
    }

    /**
     * Returns a table whose stale writes fail, whose holders write as often as they like, and whose rows are named by the table, a slash and
     * their key. The table's name counts there without its schema and in lower case, so that it is the same however the table is
     * written: tables that are called alike in two schemas and share their fences need {@link #withPrefix prefixes}.
     *
     * @param table the table as SQL writes it
     * @param key the columns that name a row, as SQL writes them
     * @return the table
     */
    public static GuardedTable of(String table, String... key) {
        return new GuardedTable(table, List.of(key), ResourceKey.table(table) + "/", FenceRule.AT_LEAST, Mode.ENFORCE);
    }

    /**
     * Returns the resource that a row is, for claims.
     *
     * @param row the row's key: one value for each column, of a type that {@link ResourceKey} knows
     * @return the name that the triggers give the row
     * @throws IllegalArgumentException if there are more or fewer values than columns, or a value of another type
     */
    public String resource(Object... row) {
        if (row.length != key.size()) {
            throw new IllegalArgumentException("a row of " + table + " has the key " + String.join(", ", key) + ", and "
                    + row.length + " values were given");
        }
        return prefix + ResourceKey.text(List.of(row));
    }

    /**
     * Returns this table with other names for its rows.
     *
     * @param newPrefix what the resources' names begin with
     * @return a copy
     */
    public GuardedTable withPrefix(String newPrefix) {
        return new GuardedTable(table, key, newPrefix, rule, mode);
    }

    /**
     * Returns this table with another rule. Under {@link FenceRule#ONCE} each grant changes a row in one transaction, there as often as it
     * likes.
     *
     * @param newRule how often a grant may write to one row
     * @return a copy
     */
    public GuardedTable withRule(FenceRule newRule) {
        return new GuardedTable(table, key, prefix, newRule, mode);
    }

    /**
     * Returns this table, observed or not.
     *
     * @param newMode what happens to a write that is refused
     * @return a copy
     */
    public GuardedTable withMode(Mode newMode) {
        return new GuardedTable(table, key, prefix, rule, newMode);
    }
}
