package io.fenceline.jdbc.sql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Refuses tables that have an expected name and other columns: they belong to another program or layout. */
public final class OwnTables {

    private static final Set<String> OF_SYNCGUARD =
            Set.of("key", "lock_id", "expires_at_ms", "acquired_at_ms", "user_key");
    private static final Set<String> OF_FENCELINE = Set.of("lock_key", "last_fence");

    private OwnTables() {}

    /**
     * Compares the names of columns.
     *
     * @param found the columns that are there, in lower case; none if there is no such table
     * @throws BackendException if there is a table that lacks a column
     */
    public static void ensureOurs(String table, Collection<String> needed, Collection<String> found) {
        List<String> missing =
                needed.stream().filter(column -> !found.contains(column)).toList();
        if (!found.isEmpty() && !missing.isEmpty()) {
            throw new BackendException(
                    ErrorCode.MISCONFIGURED,
                    Effect.NONE,
                    "table " + table + " exists and has other columns (it lacks " + String.join(", ", missing) + "); "
                            + remedy(needed, found) + "; nothing was changed",
                    null);
        }
    }

    private static String remedy(Collection<String> needed, Collection<String> found) {
        if (found.containsAll(OF_SYNCGUARD)) {
            return "they are those of SyncGuard's locks: to share them, write layout=syncguard in the URI";
        }
        if (found.containsAll(OF_FENCELINE) && !needed.containsAll(OF_FENCELINE)) {
            return "they are those of Fenceline's own locks: leave layout=syncguard out of the URI, or name other tables";
        }
        return "name another table in the URI, with table=NAME";
    }
}
