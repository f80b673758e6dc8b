package io.fenceline.jdbc.guard;

import io.fenceline.Backends;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.GuardStressContract;
import io.fenceline.testkit.StressedData;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Two processes that change one row and are stopped while they hold its lock, on a server in the same database. */
class GuardStressTest {

    @Nested
    class OfTheFenceTableOnPostgres extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderFenceTable.class;
        }
    }

    @Nested
    class OfTheFenceColumnOnPostgres extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderFenceColumn.class;
        }
    }

    @Nested
    class OfAStreamOnPostgres extends OnPostgres {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderStream.class;
        }
    }

    @Nested
    class OfTheFenceTableOnMariaDb extends OnMariaDb {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderFenceTable.class;
        }
    }

    @Nested
    class OfTheFenceColumnOnMariaDb extends OnMariaDb {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderFenceColumn.class;
        }
    }

    @Nested
    class OfTheFenceTableOnSqlite extends OnSqlite {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderFenceTable.class;
        }
    }

    @Nested
    class OfTheFenceColumnOnSqlite extends OnSqlite {
        @Override
        protected Class<? extends StressedData> data() {
            return StressedTexts.UnderFenceColumn.class;
        }
    }

    /** On a server: the tables of the locks have to be made as well. */
    private abstract static class OnServer extends GuardStressContract {

        @BeforeEach
        void makeTables() {
            StressedTexts.install(address());
            try (LockBackend backend = Backends.open(locks())) {
                backend.ability(SchemaControl.class).orElseThrow().installSchema();
            }
        }
    }

    abstract static class OnPostgres extends OnServer {

        private final PostgresServer server = TestServer.shared();
        private final String database = server.newDatabase();

        @Override
        protected String locks() {
            return server.uri(database);
        }

        @Override
        protected String address() {
            return server.jdbcUrl(database);
        }
    }

    abstract static class OnMariaDb extends OnServer {

        private final MariaDbServer server = io.fenceline.jdbc.mariadb.TestServer.shared();
        private final String database = server.newDatabase();

        @Override
        protected String locks() {
            return server.uri(database);
        }

        @Override
        protected String address() {
            return server.jdbcUrl(database);
        }
    }

    /** A file has no locks in tables; those are on a server. */
    abstract static class OnSqlite extends OnServer {

        private final PostgresServer server = TestServer.shared();
        private final String database = server.newDatabase();

        @TempDir
        Path store;

        @Override
        protected String locks() {
            return server.uri(database);
        }

        @Override
        protected String address() {
            return "jdbc:sqlite:" + store.resolve("data.db") + "?journal_mode=WAL&synchronous=OFF&busy_timeout=10000";
        }
    }
}
