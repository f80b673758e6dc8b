package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Texts in a table that knows nothing of fences, written under the table of fences. */
class FenceTableFixture implements GuardFixture {

    final GuardPlace place;

    FenceTableFixture(GuardPlace place) {
        this.place = place;
        JdbcFenceGuard.on(place.source(), place.options()).schema().installSchema();
        place.execute("CREATE TABLE " + place.in("texts") + " (name " + place.textType(600) + " PRIMARY KEY, value "
                + place.textType(2000) + ")");
    }

    @Override
    public GuardedData open(FenceRule rule, LockListener... listeners) {
        return new Texts(
                place,
                JdbcFenceGuard.on(place.source(), place.options().withRule(rule).withListeners(listeners)));
    }

    @Override
    public void restart() {
        place.restart();
    }

    @Override
    public void close() {
        place.close();
    }

    record Texts(GuardPlace place, JdbcFenceGuard jdbc) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return jdbc;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            Sql update = new Sql("UPDATE " + place.in("texts") + " SET value = ?2 WHERE name = ?1");
            Sql insert = new Sql("INSERT INTO " + place.in("texts") + " (name, value) VALUES (?1, ?2)");
            run(resource, stamp, connection -> {
                int updated = update.run(connection, resource, value);
                return updated > 0 ? updated : insert.run(connection, resource, value);
            });
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            run(
                    resource,
                    stamp,
                    connection ->
                            new Sql("DELETE FROM " + place.in("texts") + " WHERE name = ?1").run(connection, resource));
        }

        private void run(String resource, FenceStamp stamp, SqlCall<Integer, RuntimeException> body) {
            try {
                jdbc.call(resource, stamp, body);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Optional<String> read(String resource) {
            try (Connection connection = place.connect()) {
                return new Sql("SELECT value FROM " + place.in("texts") + " WHERE name = ?1")
                        .one(connection, row -> row.getString(1), resource);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
