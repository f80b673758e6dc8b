package io.fenceline.jdbc.product;

/**
 * Statements that join the write of a fence and the update that it protects into one text, for products whose driver sends all
 * statements of a text in one request. With auto-commit on they are one transaction.
 *
 * @param write the beginning of a statement that writes the fence as {@link FenceDialect#write} does, if the query that follows
 *     finds a row
 * @param end the end of that statement
 * @param written a condition: the fence was written in this transaction, by this stamp
 */
public record OneRequest(String write, String end, String written) {}
