package io.fenceline.jdbc.outbox;

import javax.sql.DataSource;

/** An empty database for one test. */
interface OutboxFixture extends AutoCloseable {

    DataSource source();

    @Override
    void close();
}
