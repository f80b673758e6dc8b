package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.GenerationClock;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.jdbc.transaction.GuardSchema;
import io.fenceline.jdbc.transaction.Transactions;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A clock with a row for each name. A number is taken in statements that commit by themselves, usually one, never in a transaction of the
 * caller's, whose rollback would give it again.
 */
public final class SqlGenerationClock implements GenerationClock {

    private static final String CURRENT = """
            SELECT last_number FROM fenceline_fences_clock WHERE name = ?1""";

    private final Transactions transactions;
    private final FenceTable table;

    private SqlGenerationClock(DataSource source, GuardOptions options) {
        this.transactions = options.transactions(source);
        this.table = new FenceTable(options.table());
    }

    /**
     * Returns a clock with the default options. Does not connect yet.
     *
     * @param source gives connections that are in no transaction; never closed by the clock
     * @return the clock
     */
    public static SqlGenerationClock on(DataSource source) {
        return on(source, GuardOptions.defaults());
    }

    /**
     * Returns a clock. Does not connect yet.
     *
     * @param source gives connections that are in no transaction; never closed by the clock
     * @param options the table, whose name the clock's begins with, the retries and the product
     * @return the clock
     */
    public static SqlGenerationClock on(DataSource source, GuardOptions options) {
        return new SqlGenerationClock(source, options);
    }

    @Override
    public FencingToken next(String name) {
        String key = LockKey.of(name).value();
        Optional<Long> number = transactions.single(explained(connection -> next(connection, key)), Effect.UNKNOWN);
        return FencingToken.of(number.orElseThrow(() -> new BackendException(
                ErrorCode.INTERNAL, Effect.NONE, "the numbers of clock '" + key + "' are used up", null)));
    }

    private Optional<Long> next(Connection connection, String key) throws SQLException {
        FenceDialect fences = transactions.product().fences();
        for (String text : fences.nextNumber()) {
            try {
                Optional<Long> number =
                        sql(text).one(connection, row -> row.getLong(1), fences.key(key), FencingToken.MAX_VALUE);
                if (number.isPresent()) {
                    return number;
                }
            } catch (SQLException e) {
                if (!fences.isForestalled(e)) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<FencingToken> current(String name) {
        String key = LockKey.of(name).value();
        return transactions.read(explained(connection -> sql(CURRENT)
                .one(
                        connection,
                        row -> FencingToken.of(row.getLong(1)),
                        transactions.product().fences().key(key))));
    }

    @Override
    public void raise(String name, FencingToken atLeast) {
        String key = LockKey.of(name).value();
        transactions.single(
                explained(connection -> {
                    FenceDialect fences = transactions.product().fences();
                    return new Steps(fences, fences.raiseClock(), table::in)
                            .run(connection, fences.key(key), atLeast.value());
                }),
                Effect.UNKNOWN);
    }

    /**
     * Returns what prints, makes and checks the clock's table.
     *
     * @return the schema
     * @throws BackendException if the database cannot be reached
     */
    public SchemaControl schema() {
        return new GuardSchema(transactions, table::in, "clock");
    }

    private <T> SqlWork<T> explained(SqlWork<T> work) {
        return connection -> {
            try {
                return work.on(connection);
            } catch (SQLException e) {
                SQLException explained = table.explainedClock(e);
                if (explained == e) {
                    throw e;
                }
                throw new BackendException(
                        ErrorCode.MISCONFIGURED, Effect.NONE, String.valueOf(explained.getMessage()), e);
            }
        };
    }

    private Sql sql(String text) {
        return new Sql(table.in(text));
    }
}
