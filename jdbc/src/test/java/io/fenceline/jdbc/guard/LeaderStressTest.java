package io.fenceline.jdbc.guard;

import io.fenceline.Backends;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.LeaderStressContract;
import io.fenceline.testkit.StressedData;
import org.junit.jupiter.api.BeforeEach;

/** Leaders on PostgreSQL that are stopped, killed and told to step down, and write under the fence table. */
class LeaderStressTest extends LeaderStressContract {

    private final PostgresServer server = TestServer.shared();
    private final String database = server.newDatabase();

    @BeforeEach
    void makeTables() {
        StressedTexts.install(address());
        try (LockBackend backend = Backends.open(locks())) {
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
        }
    }

    @Override
    protected String locks() {
        return server.uri(database);
    }

    /** A leader that is stopped within a transaction must not keep the next one waiting for its claim. */
    @Override
    protected String address() {
        return server.jdbcUrl(database) + "&options=-c%20idle_in_transaction_session_timeout=1000";
    }

    @Override
    protected Class<? extends StressedData> data() {
        return StressedTexts.UnderFenceTable.class;
    }
}
