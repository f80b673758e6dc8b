package io.fenceline.jdbc.outbox;

import org.junit.jupiter.api.Nested;

/** The outbox on PostgreSQL. */
class PostgresOutboxTest {

    @Nested
    class Adding extends AddingContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }

    @Nested
    class Delivering extends DeliveringContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }

    @Nested
    class WhatIsGivenUp extends GivingUpContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }

    @Nested
    class ARelay extends RelayContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }
}
