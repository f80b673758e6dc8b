package io.fenceline.jdbc.postgresql;

import io.fenceline.Backends;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ClientProcessContract;
import io.fenceline.testkit.ClientProcessFixture;
import io.fenceline.testkit.TurnTakingContract;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Nested;

/** Clients of PostgreSQL that are stopped and killed at any point of an operation, and clients that take turns. */
class PostgresClientProcessTest extends ClientProcessContract {

    @Override
    protected ClientProcessFixture newFixture() {
        return new ClientFixture();
    }

    @Nested
    class Turns extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new ClientFixture();
        }
    }

    private static final class ClientFixture implements ClientProcessFixture {

        private final String schema = TestServer.borrowSchema();
        private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();

        @Override
        public String uri() {
            return TestServer.shared().uri() + "&table=" + schema + ".fenceline_lock";
        }

        @Override
        public LockBackend open() {
            LockBackend backend = Backends.open(uri());
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
        }

        @Override
        public void close() {
            restart();
            TestServer.giveBack(schema);
        }
    }
}
