package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A guarded table of texts, written with plain SQL under a stamp. */
final class TriggerFixture implements GuardFixture {

    private static final GuardedTable TABLE = GuardedTable.of("texts", "id").withPrefix("");

    private final TriggerPlace place;
    private @Nullable FenceRule installed;

    TriggerFixture(TriggerPlace place) {
        this.place = place;
        place.sql("CREATE TABLE texts (id TEXT PRIMARY KEY, value TEXT)");
    }

    /** The rule is the table's and not the writer's. */
    @Override
    public synchronized GuardedData open(FenceRule rule, LockListener... listeners) {
        if (rule != installed) {
            place.install(TABLE.withRule(rule));
            installed = rule;
        }
        GuardOptions options =
                GuardOptions.defaults().withTable(place.fences()).withRule(rule).withListeners(listeners);
        return new Texts(
                place, StampedWrites.on(place.source(), listeners), JdbcFenceGuard.on(place.source(), options));
    }

    @Override
    public void restart() {
        place.restart();
    }

    @Override
    public void close() {
        place.close();
    }

    record Texts(TriggerPlace place, StampedWrites writes, JdbcFenceGuard fences) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return fences;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            run(
                    stamp,
                    connection -> update(
                            connection,
                            "INSERT INTO texts VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value",
                            resource,
                            value));
        }

        /** A trigger sees no row that is not there, so who deletes nothing claims. */
        @Override
        public void delete(String resource, FenceStamp stamp) {
            run(stamp, connection -> {
                int deleted = update(connection, "DELETE FROM texts WHERE id = ?", resource);
                if (deleted == 0) {
                    fences.claim(connection, resource, stamp);
                }
                return deleted;
            });
        }

        private void run(FenceStamp stamp, StampedCall<Integer> call) {
            try {
                writes.call(stamp, call);
            } catch (SQLException e) {
                throw new TriggerPlace.Refused(e);
            }
        }

        private static int update(Connection connection, String sql, String... values) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setString(i + 1, values[i]);
                }
                return statement.executeUpdate();
            }
        }

        @Override
        public Optional<String> read(String resource) {
            return place.with(connection -> {
                try (PreparedStatement statement =
                        connection.prepareStatement("SELECT value FROM texts WHERE id = ?")) {
                    statement.setString(1, resource);
                    try (ResultSet row = statement.executeQuery()) {
                        return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
                    }
                }
            });
        }
    }
}
