package io.fenceline.jdbc.outbox;

import org.junit.jupiter.api.Nested;

/** The outbox on SQLite. */
class SqliteOutboxTest {

    @Nested
    class Adding extends AddingContract {
        @Override
        OutboxFixture newFixture() {
            return new SqliteOutboxFixture();
        }
    }

    @Nested
    class Delivering extends DeliveringContract {
        @Override
        OutboxFixture newFixture() {
            return new SqliteOutboxFixture();
        }
    }

    @Nested
    class WhatIsGivenUp extends GivingUpContract {
        @Override
        OutboxFixture newFixture() {
            return new SqliteOutboxFixture();
        }
    }

    @Nested
    class ARelay extends RelayContract {
        @Override
        OutboxFixture newFixture() {
            return new SqliteOutboxFixture();
        }
    }
}
