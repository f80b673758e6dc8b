package io.fenceline.jdbc.product;

/** One of several statements that are tried in turn until one admits, which is told by the number of rows that it changed. */
public record FenceStep(String sql, int admits) {

    /** Returns a statement that admits if it changes one row. */
    public static FenceStep one(String sql) {
        return new FenceStep(sql, 1);
    }
}
