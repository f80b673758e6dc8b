package io.fenceline.jdbc.mariadb;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The contract on a server of yours. {@code FENCELINE_TEST_MYSQL_URL} is a JDBC URL, with user and password, of a database in which tables may be made; the
 * driver is on the class path. The tables are named {@code fenceline_contract} and stay there.
 */
@EnabledIfEnvironmentVariable(
        named = "FENCELINE_TEST_MYSQL_URL",
        matches = "jdbc:.+",
        disabledReason = "locks on MySQL or MariaDB are shown only where FENCELINE_TEST_MYSQL_URL names a server")
class GivenMySqlTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new GivenFixture();
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new GivenFixture();
        }
    }

    private static final class GivenFixture implements BackendFixture {

        private static final String TABLE = "fenceline_contract";

        private final String url = System.getenv("FENCELINE_TEST_MYSQL_URL");
        private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

        @Override
        public LockBackend open() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            pool.setMinimumIdle(0);
            pool.setMaximumPoolSize(12);
            pools.add(pool);
            LockBackend backend =
                    JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(TABLE));
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
            open.add(backend);
            return backend;
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.COUNTER;
        }

        @Override
        public void restart() {
            open.forEach(LockBackend::close);
            open.clear();
            pools.forEach(HikariDataSource::close);
            pools.clear();
        }

        @Override
        public void close() {
            restart();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("DELETE FROM " + TABLE);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
