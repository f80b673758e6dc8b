package io.fenceline.jdbc.outbox;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A database product as an outbox sees it. Each text is one statement with numbered values that goes by the database's
 * clock.
 */
interface OutboxDialect {

    /** The name that its driver tells. */
    String product();

    /** The statements that make the table. */
    String schema();

    /** Makes what is missing, on a connection that commits by itself. */
    void install(Connection connection, OutboxTable table) throws SQLException;

    /**
     * Inserts a message unless its key is there: outbox, resource, lock key, token, key, destination, payload, headers.
     */
    String insert();

    /** Finds a message: outbox, key. */
    String find();

    /**
     * Reads what can be worked on now, in the order of the ids: outbox, whether dead ones are waited for, limit, after how many
     * bytes of payload it ends where the driver reads all rows at once. Of each resource it reads nothing that follows a message
     * that has to wait.
     */
    String ready();

    /** Counts an attempt: id, state in which the message was read. Changes nothing if that has changed. */
    String begin();

    /**
     * Writes down what came of an attempt: id, state before, state, pause in milliseconds, error, whether it is settled. A
     * delivery is a fact; anything else yields to what an operator did meanwhile.
     */
    String mark();

    /** Makes a dead message pending, or lets one that waits be tried at once: outbox, key, note. */
    String retry();

    /** Settles a pending or dead message without its delivery: outbox, key, note. */
    String skip();

    /** Deletes what was settled so long ago: outbox, milliseconds, limit. */
    String purge();

    /** Lists messages in the order of the ids: outbox, state, limit. */
    String list();

    /** Counts what is not settled: outbox. */
    String progress();
}
