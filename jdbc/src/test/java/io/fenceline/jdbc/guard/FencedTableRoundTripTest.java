package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.ResourceKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JoinedUpdate.Bound;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.testkit.net.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** What an update under a fence costs on PostgreSQL, whose driver takes both statements at once. */
@Timeout(60)
class FencedTableRoundTripTest {

    private final PostgresPlace place = new PostgresPlace();
    private final FaultProxy proxy =
            FaultProxy.to("127.0.0.1", TestServer.shared().port());
    private final FencedTable orders =
            FencedTable.of(place.in("orders"), "id", "last_fence").with(place.options());
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        JdbcFenceGuard.on(place.source(), place.options()).schema().installSchema();
        place.execute("CREATE TABLE " + place.in("orders")
                + " (id BIGINT PRIMARY KEY, status VARCHAR(20), last_fence BIGINT DEFAULT 0 NOT NULL)");
        place.execute("INSERT INTO " + place.in("orders") + " (id) VALUES (42)");
        PGSimpleDataSource source = TestServer.dataSource(TestServer.shared());
        source.setPortNumbers(new int[] {proxy.port()});
        connection = source.getConnection();
        for (int token = 1; token <= 10; token++) { // until the driver has prepared the statements
            update(token, "new");
        }
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        proxy.close();
        place.close();
    }

    private boolean update(int token, String status) {
        return update(stamp(token), status);
    }

    private boolean update(FenceStamp stamp, String status) {
        try {
            return orders.update(connection, 42, stamp, Columns.set("status", status));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static FenceStamp stamp(int token) {
        return new FenceStamp(LockKey.of("order:42"), FencingToken.of(token));
    }

    private long roundTrips(Runnable work) {
        return proxy.roundTrips().countDuring(work);
    }

    /** A fence of an earlier transaction is not locked: a claim would not wait for the update. */
    @Test
    void anUpdateInOneRequestIsOnlyMadeIfTheRequestHasWrittenTheFence() throws SQLException {
        Bound update = new Bound("UPDATE " + place.in("orders") + " SET status = ? WHERE id = ?", List.of("paid", 42));
        String name = ResourceKey.row(place.in("orders"), 42);
        FenceRows fences = new FenceRows(place.options());

        assertThat(fences.writeAndUpdate(
                        connection, name, stamp(10), new Bound("SELECT 1 WHERE false", List.of()), update))
                .isFalse();
        assertThat(fences.writeAndUpdate(connection, name, stamp(10), new Bound("SELECT 1", List.of()), update))
                .isTrue();
    }

    @Test
    void anUpdateIsOneRoundTripWithItsCommit() throws SQLException {
        assertThat(roundTrips(() -> assertThat(update(34, "paid")).isTrue())).isOne();

        assertThat(orders.highest(connection, 42)).contains(FencingToken.of(34));
    }

    @Test
    void anUpdateInATransactionIsOneRoundTripWithItsBeginning() throws SQLException {
        connection.setAutoCommit(false);

        assertThat(roundTrips(() -> assertThat(update(34, "paid")).isTrue())).isOne();

        connection.rollback();
        assertThat(orders.highest(connection, 42)).contains(FencingToken.of(10));
    }

    @Test
    void anUpdateBehindASavepointIsDone() throws SQLException {
        connection.setAutoCommit(false);
        connection.setSavepoint();

        assertThat(update(34, "paid")).isTrue();
        connection.commit();

        assertThat(orders.highest(connection, 42)).contains(FencingToken.of(34));
    }

    /** Somebody without a table of fences has written the column, under another lock. */
    @Test
    void anUpdateThatTheColumnRefusesLeavesNoFence() throws SQLException {
        FenceStamp foreign = new FenceStamp(LockKey.of("other"), FencingToken.of(30));
        place.execute("INSERT INTO " + place.in("orders") + " (id, last_fence) VALUES (43, 40)");

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> orders.update(connection, 43, foreign, Columns.set("status", "stale")));

        assertThat(orders.update(connection, 43, stamp(41), Columns.set("status", "paid")))
                .isTrue();
    }
}
