package io.fenceline.testkit;

import org.junit.jupiter.api.Nested;

/** A store in memory behind a TCP port passes the contracts of crashes. What it answered is kept when its server is killed. */
class CrashContractsTest {

    @Nested
    class Clients extends ClientProcessContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new TcpFixture();
        }
    }

    @Nested
    class Turns extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new TcpFixture();
        }
    }

    @Nested
    class Server extends ServerCrashContract {
        @Override
        protected OutageFixture newFixture() {
            return new TcpFixture();
        }
    }
}
