package io.fenceline.jdbc.guard;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statements of a fenced table. Every name is quoted. A value's place follows from the order: the columns, then token and lock
 * key as they are written, then the row's key, then token and lock key as they are compared.
 */
final class TableSql {

    /** Where a dialect puts in what its locking reads need. */
    private static final String FROM = "FROM " + FenceTable.DEFAULT_NAME;

    private final FenceDialect dialect;
    private final FenceColumns columns;
    private final String admitted;
    private final String claimable;
    private final String find;
    private final Map<List<String>, String> updates = new ConcurrentHashMap<>();
    private final Map<List<String>, String> inserts = new ConcurrentHashMap<>();

    TableSql(FenceDialect dialect, FenceColumns columns, FenceRule rule) {
        this.dialect = dialect;
        this.columns = columns;
        this.admitted = condition(rule == FenceRule.ONCE ? "<" : "<=");
        this.claimable = condition("<=");
        this.find = "SELECT 1 FROM " + table() + admitted;
    }

    /** A row's fence may be NULL or 0: it was never fenced. */
    private String condition(String comparison) {
        String owner = columns.lockKey()
                .map(column -> " AND coalesce(" + dialect.quoted(column) + ", '') IN ('', ?)")
                .orElse("");
        return " WHERE " + dialect.quoted(columns.key()) + " = ? AND coalesce(" + dialect.quoted(columns.fence()) + ", "
                + columns.form().none() + ") " + comparison + " ?" + owner;
    }

    String update(List<String> names) {
        return updates.computeIfAbsent(names, set -> setting(set) + admitted);
    }

    String claim() {
        return setting(List.of()) + claimable;
    }

    private String setting(List<String> names) {
        return "UPDATE " + table() + " SET "
                + written(names).map(name -> name + " = ?").collect(Collectors.joining(", "));
    }

    String insert(List<String> names) {
        return inserts.computeIfAbsent(names, set -> {
            List<String> all = new ArrayList<>(written(set).toList());
            all.add(dialect.quoted(columns.key()));
            return "INSERT INTO " + table() + " (" + String.join(", ", all) + ") VALUES ("
                    + String.join(", ", all.stream().map(name -> "?").toList()) + ")";
        });
    }

    /** Finds a row that admits a stamp. */
    String find() {
        return find;
    }

    String delete() {
        return "DELETE FROM " + table() + admitted;
    }

    /** Reads a fence as the running transaction sees it. */
    String read() {
        return read("FROM " + table());
    }

    /** Reads a fence as it is committed now, and may lock its row. */
    String latest() {
        return dialect.latest(read(FROM)).replace(FROM, "FROM " + table());
    }

    private String read(String from) {
        return "SELECT " + written(List.of()).collect(Collectors.joining(", ")) + " " + from + " WHERE "
                + dialect.quoted(columns.key()) + " = ?";
    }

    /** Returns no row, and tells of what types the columns are: the key, the fence, and the lock key if there is one. */
    String probe() {
        return "SELECT " + dialect.quoted(columns.key()) + ", "
                + written(List.of()).collect(Collectors.joining(", ")) + " FROM " + table() + " WHERE 1 = 0";
    }

    private Stream<String> written(List<String> names) {
        names.forEach(this::ensureFree);
        return Stream.of(names.stream(), Stream.of(columns.fence()), columns.lockKey().stream())
                .flatMap(all -> all)
                .map(dialect::quoted);
    }

    private void ensureFree(String name) {
        if (name.equalsIgnoreCase(columns.key())
                || name.equalsIgnoreCase(columns.fence())
                || columns.lockKey().filter(name::equalsIgnoreCase).isPresent()) {
            throw new IllegalArgumentException(
                    "column " + name + " is set by the fenced table itself; leave it out of the columns");
        }
    }

    private String table() {
        return Arrays.stream(columns.table().split("\\.", -1))
                .map(dialect::quoted)
                .collect(Collectors.joining("."));
    }
}
