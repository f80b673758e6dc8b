package io.fenceline.jdbc.guard;

/**
 * One statement of those that are tried in turn until one admits. Which it was is told by the number of rows that it changed.
 *
 * @param sql the statement, with {@code ?1}, {@code ?2} where values belong
 * @param admits how many changed rows mean that it admitted; with any other number the next statement is tried
 */
public record Step(String sql, int admits) {

    static Step one(String sql) {
        return new Step(sql, 1);
    }
}
