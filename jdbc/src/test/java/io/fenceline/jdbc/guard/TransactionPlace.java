package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** A guard on a database, with tables to write in its transactions. */
@Tag("R3")
@Timeout(60)
abstract class TransactionPlace {

    static final String RESOURCE = "account:7";

    final GuardPlace place = newPlace();
    final JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
    final Sql insert = new Sql("INSERT INTO " + place.in("lines") + " (id, text) VALUES (?1, ?2)");

    TransactionPlace() {
        guard.schema().installSchema();
        place.execute("CREATE TABLE " + place.in("lines") + " (id INTEGER PRIMARY KEY, text VARCHAR(100))");
        place.execute("CREATE TABLE " + place.in("totals") + " (id INTEGER PRIMARY KEY, total INTEGER)");
        place.execute("INSERT INTO " + place.in("totals") + " (id, total) VALUES (1, 0)");
    }

    abstract GuardPlace newPlace();

    @AfterEach
    void close() {
        place.close();
    }

    final long number(String query) {
        try (Connection connection = place.connect()) {
            return new Sql(query).one(connection, row -> row.getLong(1)).orElseThrow();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }
}
