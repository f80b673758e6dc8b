package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.guard.FenceRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every road to a guarded row: kinds of tables, the relations through which their rows are written, and operations, under every rule and with
 * every kind of stamp. Each cell is a transaction that is committed; what then is in the table decides. The table is written to {@code
 * target/trigger-matrix-PRODUCT.txt}.
 *
 * <p>Row 42 is there, rows 7 and 142 are not; all three were written by token 34 of lock {@code k}.
 */
@Tag("R8")
abstract class TriggerMatrix {

    /** What a transaction shows before it writes. */
    enum Stamp {
        NONE,
        STALE,
        FOREIGN,
        MALFORMED,
        /** One that an earlier transaction of the connection has left, as far as it could. */
        LEFT_OVER,
        /** That of the last writer. */
        SAME,
        FRESH;

        boolean admits(FenceRule rule) {
            return this == FRESH || this == SAME && rule == FenceRule.AT_LEAST;
        }
    }

    /**
     * A kind of table.
     *
     * @param name for the matrix
     * @param guarded the table as it is named when it is guarded
     * @param before statements that make it and all that belongs to it
     * @param after statements that make what belongs to it after it was guarded
     * @param roads the relations through which its rows can be written
     */
    record Kind(String name, String guarded, List<String> before, List<String> after, List<Road> roads) {}

    /**
     * A relation through which rows can be written.
     *
     * @param relation as SQL writes it
     * @param moves whether row 42 may become 142 there
     * @param view whether it is a view
     */
    record Road(String relation, boolean moves, boolean view) {

        static Road to(String relation) {
            return new Road(relation, true, false);
        }

        /** Of a partition, which takes no rows of others. */
        Road alone() {
            return new Road(relation, false, view);
        }

        static Road through(String view, boolean moves) {
            return new Road(view, moves, true);
        }
    }

    /**
     * A write.
     *
     * @param name for the matrix
     * @param sql with {@code {t}} for the relation
     */
    record Operation(String name, String sql) {
        boolean moves() {
            return name.contains("move");
        }
    }

    abstract TriggerPlace newPlace();

    abstract String product();

    abstract List<Kind> kinds();

    abstract List<Operation> operations();

    abstract boolean isPossible(Operation operation, Road road);

    /** Puts rows and fences back as they were, past all triggers. */
    abstract void reset(Connection connection, Kind kind) throws SQLException;

    abstract String content(Connection connection, Kind kind) throws SQLException;

    /** Leaves a stamp on the connection for later transactions, as far as that can be done. */
    abstract String leaving();

    /** Shows the stamp in the running transaction; a left one was left before. */
    abstract String showing(Stamp stamp);

    /** Ends the transaction. */
    abstract String committing();

    abstract boolean isRefusal(SQLException e);

    /** Whether it lands under a stamp that admits; TRUNCATE looks at no row and never does. */
    boolean canLand(Operation operation) {
        return true;
    }

    @Test
    void noRoadLeadsAStaleOrUnstampedWriteToARowAndEachLeadsAFreshOne() throws IOException {
        List<String> lines = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        String head = Stream.of(FenceRule.values())
                .flatMap(rule -> stamps(rule).stream().map(stamp -> column(rule, stamp)))
                .collect(Collectors.joining(" "));
        lines.add(String.format(Locale.ROOT, "%-52s %-26s %s", "table, written through", "operation", head));
        int cells = 0;
        for (Kind kind : kinds()) {
            for (Road road : kind.roads()) {
                List<Operation> possible = operations().stream()
                        .filter(operation -> isPossible(operation, road) && (road.moves() || !operation.moves()))
                        .toList();
                List<StringBuilder> rows = possible.stream()
                        .map(operation -> new StringBuilder(String.format(
                                Locale.ROOT, "%-52s %-26s", kind.name() + ", " + road.relation(), operation.name())))
                        .toList();
                for (FenceRule rule : FenceRule.values()) {
                    cells += run(kind, road, rule, possible, rows, wrong);
                }
                rows.forEach(row -> lines.add(row.toString()));
            }
        }
        lines.add("");
        lines.add(cells + " cells; W written, - refused; rows 42, 7 and 142 belong to token 34");
        Files.createDirectories(Path.of("target"));
        Files.write(Path.of("target", "trigger-matrix-" + product() + ".txt"), lines);
        assertThat(wrong).isEmpty();
        assertThat(cells).isGreaterThan(500);
    }

    /** All, and where a grant writes once those that it makes a difference for. */
    private static List<Stamp> stamps(FenceRule rule) {
        return rule == FenceRule.ONCE
                ? List.of(Stamp.NONE, Stamp.STALE, Stamp.SAME, Stamp.FRESH)
                : List.of(Stamp.values());
    }

    private static String column(FenceRule rule, Stamp stamp) {
        return (rule == FenceRule.ONCE ? "once:" : "") + stamp.name().toLowerCase(Locale.ROOT);
    }

    private int run(
            Kind kind,
            Road road,
            FenceRule rule,
            List<Operation> possible,
            List<StringBuilder> rows,
            List<String> wrong) {
        try (TriggerPlace place = newPlace()) {
            kind.before().forEach(place::sql);
            place.install(GuardedTable.of(kind.guarded(), "id").withPrefix("t/").withRule(rule));
            kind.after().forEach(place::sql);
            return place.with(connection -> {
                reset(connection, kind);
                String untouched = content(connection, kind);
                for (int i = 0; i < possible.size(); i++) {
                    for (Stamp stamp : stamps(rule)) {
                        String outcome =
                                attempt(connection, possible.get(i).sql().replace("{t}", road.relation()), stamp);
                        String now = content(connection, kind);
                        boolean landed = !now.equals(untouched);
                        boolean lands = stamp.admits(rule) && canLand(possible.get(i));
                        String name = column(rule, stamp);
                        rows.get(i).append(' ').append(landed ? 'W' : '-').append(" ".repeat(name.length() - 1));
                        if (landed != lands || !outcome.equals(lands ? "" : "refused")) {
                            wrong.add(rows.get(i).substring(0, 79) + ' ' + name + ": "
                                    + (landed ? "written: " + now : "not written") + ' ' + outcome);
                        }
                        if (landed) {
                            reset(connection, kind);
                        }
                    }
                }
                return possible.size() * stamps(rule).size();
            });
        }
    }

    /** Returns what went wrong. */
    private String attempt(Connection connection, String sql, Stamp stamp) throws SQLException {
        if (stamp == Stamp.LEFT_OVER && !tryOut(connection, leaving()).isEmpty()) {
            tryOut(connection, "ROLLBACK");
        }
        String outcome = tryOut(connection, "BEGIN; " + showing(stamp) + sql + "; " + committing() + "COMMIT");
        if (!outcome.isEmpty()) {
            tryOut(connection, "ROLLBACK");
        }
        return outcome;
    }

    private String tryOut(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
            return "";
        } catch (SQLException e) {
            return isRefusal(e) ? "refused" : "failed for another reason: " + e.getMessage();
        }
    }

    static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            StringBuilder all = new StringBuilder();
            while (row.next()) {
                all.append(row.getString(1)).append(' ');
            }
            return all.toString();
        }
    }
}
