package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The fences that transactions of guards' own hold for the code that runs in them, by thread. Another transaction of the same
 * thread for the same resource would wait for a lock that the thread itself keeps; here it is an error at once.
 */
public final class HeldFences {

    /** Of all guards: two guards on one database are in each other's way like one. */
    private static final ThreadLocal<Set<Held>> HELD = ThreadLocal.withInitial(HashSet::new);

    /** Of a file in which a transaction that writes keeps out all others, whatever they write. */
    private static final String SQLITE = "jdbc:sqlite:";

    private static final Pattern SEARCH_PATH = Pattern.compile("(?<=[?&])(?:currentSchema|options|user)=[^&]*");

    private static final String REMEDY =
            " use the connection that the body of the write was given: enter(connection, …), claim(connection, …)";

    private HeldFences() {}

    private record Held(String database, String table, String resource) {}

    /**
     * Makes sure that this thread does not hold the fence in another transaction.
     *
     * @throws IllegalStateException if it does
     */
    public static void ensureFree(Connection connection, String table, String resource) throws SQLException {
        if (!HELD.get().isEmpty()) {
            ensureFree(database(connection), table, resource);
        }
    }

    /**
     * Makes sure that this thread does not hold the fence in another transaction; for a database whose address is known.
     *
     * @throws IllegalStateException if it does
     */
    public static void ensureFree(String database, String table, String resource) {
        ensureNoOtherWriter(database);
        if (HELD.get().contains(new Held(database, table, resource))) {
            throw new IllegalStateException("'" + resource + "' is written by this thread in a transaction that has not"
                    + " ended, and a second one would wait for the first one forever;" + REMEDY);
        }
    }

    /**
     * Makes sure that this thread holds no fence in a file of SQLite, where it could write nothing else.
     *
     * @throws IllegalStateException if it does
     */
    public static void ensureNoOtherWriter(String database) {
        if (database.startsWith(SQLITE) && HELD.get().stream().anyMatch(held -> held.database.equals(database))) {
            throw new IllegalStateException(
                    "this thread is in a transaction that writes and has not ended; SQLite has one"
                            + " writer at a time, and a second one would wait for the first one forever;" + REMEDY);
        }
    }

    /** Notes that this thread has taken the fence. */
    public static void hold(String database, String table, String resource) {
        HELD.get().add(new Held(database, table, resource));
    }

    /** Notes that the transaction with the fence is over. */
    public static void release(String database, String table, String resource) {
        Set<Held> all = HELD.get();
        all.remove(new Held(database, table, resource));
        if (all.isEmpty()) {
            HELD.remove();
        }
    }

    /**
     * Returns the database's address, which drivers know without asking the server: without its parameters, except for those by which
     * PostgreSQL finds tables.
     */
    public static String database(Connection connection) throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        return url.replaceFirst("\\?.*", "")
                + SEARCH_PATH
                        .matcher(url)
                        .results()
                        .map(MatchResult::group)
                        .sorted()
                        .toList();
    }
}
