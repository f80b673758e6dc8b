package io.fenceline.jdbc.guard;

import io.fenceline.guard.FenceRule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What products with {@code INSERT … ON CONFLICT} have in common. */
abstract class UpsertDialect implements FenceDialect {

    private static final String ENTER = """
            INSERT INTO fenceline_fences AS fence (resource, lock_key, highest, written, updated_at)
            VALUES (?1, ?2, ?3, %s, %s)
            ON CONFLICT (resource) DO UPDATE
               SET highest = excluded.highest, written = %s, updated_at = excluded.updated_at
             WHERE fence.lock_key = excluded.lock_key AND fence.highest <= excluded.highest""";

    private static final String AND_NOT_WRITTEN = " AND fence.written < excluded.highest";

    private static final String NEXT_NUMBER = """
            INSERT INTO fenceline_fences_clock AS clock (name, last_number) VALUES (?1, 1)
            ON CONFLICT (name) DO UPDATE SET last_number = clock.last_number + 1 WHERE clock.last_number < ?2
            RETURNING last_number""";

    private static final String RAISE_CLOCK = """
            INSERT INTO fenceline_fences_clock AS clock (name, last_number) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET last_number = excluded.last_number
             WHERE clock.last_number < excluded.last_number""";

    private final String now;

    /** @param now the expression for the time of a statement, as the table keeps it */
    UpsertDialect(String now) {
        this.now = now;
    }

    @Override
    public final String write(FenceRule rule) {
        String sql = ENTER.formatted("?3", now, "excluded.highest");
        return rule == FenceRule.ONCE ? sql + AND_NOT_WRITTEN : sql;
    }

    @Override
    public final String claim() {
        return ENTER.formatted("0", now, "fence.written");
    }

    @Override
    public final String nextNumber() {
        return NEXT_NUMBER;
    }

    @Override
    public final String raiseClock() {
        return RAISE_CLOCK;
    }

    @Override
    public final String quoted(String identifier) {
        if (identifier.isEmpty() || identifier.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("'" + identifier + "' is no name of a table or column");
        }
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    final String resource(String name) {
        try (InputStream script = FenceDialect.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("the schema " + name + " is missing from the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
