package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.GenerationClock;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.transaction.Transactions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A clock with a sequence of PostgreSQL for each name, which takes numbers without a lock on a row. A name's sequence is made
 * when its first number is taken, unless it was {@linkplain #withSequence named}; it must have {@code CACHE 1}, since a session
 * that keeps numbers in store gives them after greater ones were given.
 *
 * <p>A raise keeps all who use this class, and name the sequence in the same way, from taking numbers for a moment. Programs that
 * call {@code nextval} themselves are not kept out, and while one does a clock can fall back to the raised number. Sequences are not
 * carried along by logical replication: raise the clock after such a switch. {@link SqlGenerationClock} has neither weakness.
 */
public final class SequenceGenerationClock implements GenerationClock {

    private static final String DEFAULT_PREFIX = "fenceline_clock_";
    private static final int HASH_BYTES = 16;
    private static final Pattern SEQUENCE = Pattern.compile("([a-z_][a-z0-9_]{0,62}\\.)?[a-z_][a-z0-9_]{0,62}");
    private static final Pattern PREFIX = Pattern.compile("([a-z_][a-z0-9_]{0,62}\\.)?[a-z_][a-z0-9_]{0,30}");

    /** Whoever takes a number shares this lock; whoever raises has it alone. */
    private static final Sql NEXT = new Sql("""
            WITH shared AS MATERIALIZED (
                SELECT pg_advisory_xact_lock_shared(hashtextextended('fenceline clock ' || ?1, 0))
            )
            SELECT nextval(?1::regclass) FROM shared""");

    private static final Sql ALONE = new Sql("""
            SELECT pg_advisory_xact_lock(hashtextextended('fenceline clock ' || ?1, 0))""");

    private static final Sql EXISTS = new Sql("SELECT 1 WHERE to_regclass(?1) IS NOT NULL");

    private static final Sql SHAPE = new Sql("""
            SELECT seqcache, seqincrement, seqcycle, relkind::text, relpersistence::text
              FROM pg_class LEFT JOIN pg_sequence ON seqrelid = pg_class.oid
             WHERE pg_class.oid = to_regclass(?1)""");

    private final Transactions transactions;
    private final String prefix;
    private final Map<String, String> named;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private SequenceGenerationClock(Transactions transactions, String prefix, Map<String, String> named) {
        this.transactions = transactions;
        this.prefix = prefix;
        this.named = named;
    }

    /**
     * Returns a clock whose sequences are called {@code fenceline_clock_} and a hash of the name. Does not connect yet.
     *
     * @param source gives connections to PostgreSQL that are in no transaction; never closed by the clock
     * @return the clock
     */
    public static SequenceGenerationClock on(DataSource source) {
        GuardOptions options = GuardOptions.defaults().withProduct("PostgreSQL");
        return new SequenceGenerationClock(options.transactions(source), DEFAULT_PREFIX, Map.of());
    }

    /**
     * Returns this clock with other names of sequences.
     *
     * @param newPrefix up to 31 lower-case letters, digits and underscores, perhaps after a schema and a dot; the hash follows
     * @return another clock
     * @throws IllegalArgumentException if it is anything else
     */
    public SequenceGenerationClock withPrefix(String newPrefix) {
        if (!PREFIX.matcher(newPrefix).matches()) {
            throw new IllegalArgumentException(
                    "prefix is '" + newPrefix + "'; it has at most 31 lower-case letters, digits"
                            + " and underscores, and may follow a schema and a dot");
        }
        return new SequenceGenerationClock(transactions, newPrefix, named);
    }

    /**
     * Returns this clock with a sequence that exists for one of the names.
     *
     * @param name what the numbers are for
     * @param sequence lower-case letters, digits and underscores, perhaps after a schema and a dot
     * @return another clock
     * @throws IllegalArgumentException if the name breaks the rules, or the sequence's does
     */
    public SequenceGenerationClock withSequence(String name, String sequence) {
        if (!SEQUENCE.matcher(sequence).matches()) {
            throw new IllegalArgumentException(
                    "sequence is '" + sequence + "'; it has at most 63 lower-case letters, digits"
                            + " and underscores, and may follow a schema and a dot");
        }
        Map<String, String> more = new HashMap<>(named);
        more.put(LockKey.of(name).value(), sequence);
        return new SequenceGenerationClock(transactions, prefix, Map.copyOf(more));
    }

    @Override
    public FencingToken next(String name) {
        String sequence = sequence(name);
        ensureThere(name, sequence);
        long number = transactions.single(
                connection ->
                        NEXT.one(connection, row -> row.getLong(1), sequence).orElseThrow(),
                Effect.UNKNOWN);
        if (number > FencingToken.MAX_VALUE) {
            throw new BackendException(
                    ErrorCode.INTERNAL, Effect.NONE, "the numbers of clock '" + name + "' are used up", null);
        }
        return FencingToken.of(number);
    }

    @Override
    public Optional<FencingToken> current(String name) {
        String sequence = sequence(name);
        return transactions.read(
                connection -> EXISTS.one(connection, row -> true, sequence).isEmpty()
                        ? Optional.empty()
                        : last(connection, sequence));
    }

    @Override
    public void raise(String name, FencingToken atLeast) {
        String sequence = sequence(name);
        ensureThere(name, sequence);
        transactions.atomically(connection -> {
            ALONE.all(connection, row -> true, sequence);
            boolean lower = last(connection, sequence).map(atLeast::isNewerThan).orElse(true);
            return lower
                    ? new Sql("SELECT setval(?1::regclass, ?2)")
                            .all(connection, row -> row.getLong(1), sequence, atLeast.value())
                            .size()
                    : 0;
        });
    }

    private static Optional<FencingToken> last(Connection connection, String sequence) throws SQLException {
        String quoted = '"' + sequence.replace(".", "\".\"") + '"'; // it may be a word of SQL
        return new Sql("SELECT last_value FROM " + quoted + " WHERE is_called")
                .one(connection, row -> FencingToken.of(row.getLong(1)));
    }

    /** Makes a sequence that is missing, and looks at one that is there, once. */
    private void ensureThere(String name, String sequence) {
        if (known.contains(sequence)) {
            return;
        }
        boolean there = transactions.read(
                connection -> EXISTS.one(connection, row -> true, sequence).isPresent());
        if (!there) {
            if (named.containsValue(sequence)) {
                throw new IllegalArgumentException("sequence " + sequence + " of clock '" + name
                        + "' is missing; make it" + " with CREATE SEQUENCE " + sequence + " CACHE 1");
            }
            make(sequence);
        }
        transactions.read(connection -> SHAPE.one(
                connection,
                row -> {
                    ensure(row.getString("relkind").equals("S"), sequence, "is no sequence");
                    ensure(
                            row.getLong("seqcache") == 1,
                            sequence,
                            "keeps numbers in store; run ALTER SEQUENCE " + sequence + " CACHE 1");
                    ensure(
                            row.getLong("seqincrement") > 0 && !row.getBoolean("seqcycle"),
                            sequence,
                            "does not only grow");
                    ensure(
                            row.getString("relpersistence").equals("p"),
                            sequence,
                            "begins again after a crash of the server; run ALTER SEQUENCE " + sequence + " SET LOGGED");
                    return true;
                },
                sequence));
        known.add(sequence);
    }

    private static void ensure(boolean fits, String sequence, String problem) {
        if (!fits) {
            throw new IllegalArgumentException(sequence + " " + problem);
        }
    }

    private void make(String sequence) {
        transactions.atomically(connection -> {
            // Two that make one sequence at a moment fail on its name, IF NOT EXISTS or not.
            ALONE.all(connection, row -> true, sequence);
            try (Statement statement = connection.createStatement()) {
                return statement.executeUpdate(
                        "CREATE SEQUENCE IF NOT EXISTS " + sequence + " AS bigint MINVALUE 1 NO CYCLE CACHE 1");
            }
        });
    }

    private String sequence(String name) {
        String key = LockKey.of(name).value();
        return named.getOrDefault(key, prefix + hash(key));
    }

    private static String hash(String key) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
