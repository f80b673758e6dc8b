package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Texts in a table with a column for the fence, each read and written in a transaction of the test's. */
final class FencedTableFixture implements GuardFixture {

    private final GuardPlace place;
    private final UnaryOperator<FencedTable> shape;
    private final boolean keepsLockKeys;

    /** @param columnType the column's type and default */
    FencedTableFixture(GuardPlace place, String columnType, boolean keepsLockKeys, UnaryOperator<FencedTable> shape) {
        this.place = place;
        this.keepsLockKeys = keepsLockKeys;
        this.shape = table -> shape.apply(keepsLockKeys ? table.withLockKeys("fence_key") : table);
        JdbcFenceGuard.on(place.source(), place.options()).schema().installSchema();
        place.execute("CREATE TABLE " + place.in("texts") + " (name " + place.textType(600) + " PRIMARY KEY, value "
                + place.textType(2000) + ", last_fence " + columnType + ", fence_key " + place.textType(600) + ")");
    }

    @Override
    public GuardedData open(FenceRule rule, LockListener... listeners) {
        FencedTable table = FencedTable.of(place.in("texts"), "name", "last_fence")
                .with(place.options().withRule(rule).withListeners(listeners))
                .withNames(UnaryOperator.identity());
        return new Rows(place, shape.apply(table));
    }

    @Override
    public boolean keepsLockKeys() {
        return keepsLockKeys;
    }

    @Override
    public boolean tellsClaimsFromWrites() {
        return false;
    }

    @Override
    public void restart() {
        place.restart();
    }

    @Override
    public void close() {
        place.close();
    }

    private record Rows(GuardPlace place, FencedTable table) implements GuardedData, FenceGuard {

        @Override
        public FenceGuard guard() {
            return this;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            in(connection -> {
                table.put(connection, resource, stamp, Columns.set("value", value));
                return true;
            });
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            in(connection -> table.delete(connection, resource, stamp));
        }

        @Override
        public Optional<String> read(String resource) {
            return in(connection -> new Sql("SELECT value FROM " + place.in("texts") + " WHERE name = ?1")
                    .one(connection, row -> row.getString(1), resource));
        }

        @Override
        public void claim(String resource, FenceStamp stamp) {
            in(connection -> {
                table.claim(connection, resource, stamp);
                return true;
            });
        }

        @Override
        public Verdict check(String resource, FenceStamp stamp) {
            return in(connection -> table.check(connection, resource, stamp));
        }

        @Override
        public Optional<FenceStamp> highest(String resource) {
            return in(connection -> table.highest(connection, resource))
                    .map(token -> new FenceStamp(LockKey.of(keyOf(resource)), token));
        }

        /** The table tells the token; the key is looked up where the fixture knows it to be. */
        private String keyOf(String resource) {
            return in(connection -> {
                        FenceDialect dialect = Products.of(connection).fences();
                        return new Sql("SELECT lock_key FROM " + place.in("fenceline_fences") + " WHERE resource = ?1")
                                .one(
                                        connection,
                                        row -> dialect.key(row, "lock_key"),
                                        dialect.key(ResourceName.of(resource).value()));
                    })
                    .orElseThrow();
        }

        private <T> T in(SqlWork<T> work) {
            try (Connection connection = place.begin()) {
                try {
                    T result = work.on(connection);
                    connection.commit();
                    return result;
                } finally {
                    connection.rollback();
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
