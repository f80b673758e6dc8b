package io.fenceline.jdbc.trigger;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.GuardStressContract;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import io.fenceline.testkit.StressedData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Two processes that change one row of a table with triggers in plain SQL, and are stopped while they hold its lock. */
class TriggerStressTest {

    @Nested
    class OnPostgres extends OnTriggers {
        @Override
        protected String address() {
            return server.jdbcUrl(database);
        }
    }

    @Nested
    class OnSqlite extends OnTriggers {

        @TempDir
        Path store;

        @Override
        protected String address() {
            return "jdbc:sqlite:" + store.resolve("data.db") + "?journal_mode=WAL&synchronous=OFF&busy_timeout=10000"
                    + "&foreign_keys=true&transaction_mode=IMMEDIATE";
        }
    }

    /** The locks are on PostgreSQL. */
    private abstract static class OnTriggers extends GuardStressContract {

        final PostgresServer server = PostgresPlace.server();
        final String database = server.newDatabase();

        @Override
        protected String locks() {
            return server.uri(database);
        }

        @BeforeEach
        void makeTables() {
            try (Pool pool = new Pool(address())) {
                pool.sql("CREATE TABLE texts (id TEXT PRIMARY KEY, value TEXT); CREATE TABLE plain (id TEXT PRIMARY"
                        + " KEY, value TEXT)");
                pool.install(GuardedTable.of("texts", "id").withPrefix(""));
            }
            try (LockBackend backend = Backends.open(locks())) {
                backend.ability(SchemaControl.class).orElseThrow().installSchema();
            }
        }

        @Override
        protected Class<? extends StressedData> data() {
            return Opening.class;
        }
    }

    /** Opens the table with triggers, or one without. */
    static final class Opening implements StressedData {

        private final List<Pool> open = new ArrayList<>();

        private Pool pool(String address) {
            Pool pool = new Pool(address);
            open.add(pool);
            return pool;
        }

        @Override
        public GuardedData guarded(String address) {
            Pool pool = pool(address);
            return new TriggerFixture.Texts(
                    pool,
                    StampedWrites.on(pool.source()),
                    JdbcFenceGuard.on(pool.source(), GuardOptions.defaults().withTable(pool.fences())));
        }

        @Override
        public GuardedData unguarded(String address) {
            return new Plain(pool(address));
        }

        @Override
        public void close() {
            open.forEach(Pool::close);
        }
    }

    private record Plain(Pool pool) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return new NoGuard();
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            pool.sql("INSERT INTO plain VALUES ('" + resource + "', '" + value
                    + "') ON CONFLICT (id) DO UPDATE SET value = excluded.value");
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> read(String resource) {
            String value = pool.with(connection ->
                    TriggerMatrix.text(connection, "SELECT value FROM plain WHERE id = '" + resource + "'"));
            return Optional.of(value.strip()).filter(text -> !text.isEmpty());
        }
    }

    private static final class Pool implements TriggerPlace {

        private final HikariDataSource source = new HikariDataSource();

        Pool(String url) {
            source.setJdbcUrl(url);
            source.setMaximumPoolSize(2);
        }

        @Override
        public DataSource source() {
            return source;
        }

        @Override
        public String fences() {
            return source.getJdbcUrl().startsWith("jdbc:sqlite:") ? "fenceline_fences" : "public.fenceline_fences";
        }

        @Override
        public void restart() {}

        @Override
        public void close() {
            source.close();
        }
    }
}
