package io.fenceline.spring.payments;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.PostgresServer;
import java.util.List;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A database of payments on a real PostgreSQL, with fences. */
public final class PaymentDatabase {

    private static final PostgresServer SERVER = PostgresServer.start(Map.of("fsync", "off"));

    public final PGSimpleDataSource source = new PGSimpleDataSource();
    public final JdbcTemplate jdbc = new JdbcTemplate(source);
    public final JdbcFenceGuard guard = JdbcFenceGuard.on(source);

    public PaymentDatabase() {
        source.setUrl(SERVER.jdbcUrl(SERVER.newDatabase()));
        jdbc.execute("CREATE TABLE payment (id serial, invoice text, amount text NOT NULL CHECK (amount <> 'broken'))");
        guard.schema().installSchema();
    }

    public void book(String amount) {
        jdbc.update("INSERT INTO payment (invoice, amount) VALUES ('invoice/42', ?)", amount);
    }

    public List<String> bookings() {
        return jdbc.queryForList("SELECT amount FROM payment ORDER BY id", String.class);
    }

    public static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(token));
    }
}
