package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

class PostgresTriggerMatrixTest extends TriggerMatrix {

    private static final String COLUMNS =
            "(id int PRIMARY KEY, v text, ref int REFERENCES m ON DELETE CASCADE ON UPDATE CASCADE)";
    private static final String MASTER = "CREATE TABLE note (n int); CREATE TABLE m (id int PRIMARY KEY)";
    private static final String PARTITIONED =
            "CREATE TABLE p (id int PRIMARY KEY, v text, ref int REFERENCES m ON DELETE CASCADE ON UPDATE CASCADE)"
                    + " PARTITION BY RANGE (id)";
    private static final String HIGH = "CREATE TABLE p_high PARTITION OF p FOR VALUES FROM (100) TO (200)";

    @Override
    TriggerPlace newPlace() {
        return new PostgresPlace();
    }

    @Override
    String product() {
        return "postgresql";
    }

    private static Kind of(String name, String guarded, List<String> before, List<String> after, Road... roads) {
        List<String> views = new ArrayList<>(after);
        List<Road> all = new ArrayList<>(List.of(roads));
        for (Road road : List.of(roads[0])) {
            String view = "view_of_" + road.relation().replaceAll("[^a-z_]", "");
            views.add("CREATE VIEW " + view + " AS SELECT * FROM " + road.relation());
            all.add(Road.through(view, road.moves()));
        }
        return new Kind(name, guarded, before, views, all);
    }

    @Override
    List<Kind> kinds() {
        return List.of(
                of("plain", "t", List.of(MASTER, "CREATE TABLE t " + COLUMNS), List.of(), Road.to("t")),
                of(
                        "named in another case",
                        "TK",
                        List.of(MASTER, "CREATE TABLE tk " + COLUMNS),
                        List.of(),
                        Road.to("tk")),
                of(
                        "quoted",
                        "\"The T\"",
                        List.of(MASTER, "CREATE TABLE \"The T\" " + COLUMNS),
                        List.of(),
                        Road.to("\"The T\"")),
                of(
                        "partitioned",
                        "p",
                        List.of(
                                MASTER,
                                PARTITIONED,
                                "CREATE TABLE p_low PARTITION OF p FOR VALUES FROM (0) TO (100)",
                                HIGH),
                        List.of(),
                        Road.to("p"),
                        Road.to("p_low").alone()),
                of(
                        "partitioned twice",
                        "p",
                        List.of(
                                MASTER,
                                PARTITIONED,
                                "CREATE TABLE p_mid PARTITION OF p FOR VALUES FROM (0) TO (100) PARTITION BY RANGE"
                                        + " (id)",
                                "CREATE TABLE p_low PARTITION OF p_mid FOR VALUES FROM (0) TO (50)",
                                HIGH),
                        List.of(),
                        Road.to("p"),
                        Road.to("p_mid").alone(),
                        Road.to("p_low").alone()),
                of(
                        "partition made later",
                        "p",
                        List.of(MASTER, PARTITIONED),
                        List.of("CREATE TABLE p_low PARTITION OF p FOR VALUES FROM (0) TO (100)", HIGH),
                        Road.to("p"),
                        Road.to("p_low").alone()),
                of(
                        "partition attached later",
                        "p",
                        List.of(MASTER, PARTITIONED, HIGH),
                        List.of(
                                "CREATE TABLE p_low " + COLUMNS,
                                "ALTER TABLE p ATTACH PARTITION p_low FOR VALUES FROM (0) TO (100)"),
                        Road.to("p"),
                        Road.to("p_low").alone()),
                of(
                        "one partition guarded",
                        "p_low",
                        List.of(
                                MASTER,
                                PARTITIONED,
                                "CREATE TABLE p_low PARTITION OF p FOR VALUES FROM (0) TO (100)",
                                HIGH),
                        List.of(),
                        Road.to("p"),
                        Road.to("p_low").alone()),
                of(
                        "inheriting",
                        "parent",
                        List.of(
                                MASTER,
                                "CREATE TABLE parent " + COLUMNS,
                                "CREATE TABLE child (PRIMARY KEY (id), FOREIGN KEY (ref) REFERENCES m ON DELETE"
                                        + " CASCADE ON UPDATE CASCADE) INHERITS (parent)"),
                        List.of(),
                        Road.to("parent"),
                        Road.to("child")),
                of(
                        "inheriting later",
                        "parent",
                        List.of(MASTER, "CREATE TABLE parent " + COLUMNS),
                        List.of(
                                "CREATE TABLE child " + COLUMNS,
                                "ALTER TABLE child INHERIT parent",
                                "CREATE TABLE grandchild () INHERITS (child)"),
                        Road.to("parent"),
                        Road.to("child")));
    }

    @Override
    List<Operation> operations() {
        return List.of(
                new Operation("insert", "INSERT INTO {t} VALUES (7, 'x', 1)"),
                new Operation("insert select", "INSERT INTO {t} SELECT 7, 'x', id FROM m"),
                new Operation("insert on conflict", "INSERT INTO {t} VALUES (7, 'x', 1) ON CONFLICT DO NOTHING"),
                new Operation(
                        "upsert", "INSERT INTO {t} VALUES (42, 'x', 1) ON CONFLICT (id) DO UPDATE SET v = excluded.v"),
                new Operation("update", "UPDATE {t} SET v = 'x' WHERE id = 42"),
                new Operation("update from", "UPDATE {t} SET v = 'x' FROM m WHERE m.id = ref"),
                new Operation("update of the key", "UPDATE {t} SET id = 7 WHERE id = 42"),
                new Operation("update that moves", "UPDATE {t} SET id = 142 WHERE id = 42"),
                new Operation("delete", "DELETE FROM {t} WHERE id = 42"),
                new Operation("delete using", "DELETE FROM {t} USING m WHERE m.id = ref"),
                new Operation(
                        "merge update", "MERGE INTO {t} USING m ON ref = m.id WHEN MATCHED THEN UPDATE SET v = 'x'"),
                new Operation("merge delete", "MERGE INTO {t} USING m ON ref = m.id WHEN MATCHED THEN DELETE"),
                new Operation(
                        "merge insert",
                        "MERGE INTO {t} USING (VALUES (7)) AS n (i) ON id = i WHEN NOT MATCHED THEN INSERT VALUES (i,"
                                + " 'x', 1)"),
                new Operation("copy", "COPY {t} FROM PROGRAM 'echo 7,x,1' (FORMAT csv)"),
                new Operation(
                        "update in a CTE",
                        "WITH w AS (UPDATE {t} SET v = 'x' WHERE id = 42 RETURNING 1) INSERT INTO note SELECT 1"),
                new Operation(
                        "delete in a CTE",
                        "WITH w AS (DELETE FROM {t} WHERE id = 42 RETURNING 1) INSERT INTO note SELECT * FROM w"),
                new Operation(
                        "delete and insert in a CTE",
                        "WITH w AS (DELETE FROM {t} WHERE id = 42 RETURNING *) INSERT INTO {t} SELECT 7, v, ref FROM"
                                + " w"),
                new Operation("update in a function", "DO $$ BEGIN UPDATE {t} SET v = 'x' WHERE id = 42; END $$"),
                new Operation(
                        "update, error caught",
                        "DO $$ BEGIN BEGIN UPDATE {t} SET v = 'y' WHERE id = 42; RAISE 'no'; EXCEPTION WHEN"
                                + " raise_exception THEN NULL; END; UPDATE {t} SET v = 'x' WHERE id = 42; END $$"),
                new Operation(
                        "update at a cursor",
                        "DO $$ DECLARE c CURSOR FOR SELECT * FROM {t} WHERE id = 42 FOR UPDATE; r record; BEGIN OPEN"
                                + " c; FETCH c INTO r; UPDATE {t} SET v = 'x' WHERE CURRENT OF c; END $$"),
                new Operation("cascaded delete", "DELETE FROM m"),
                new Operation("cascaded update", "UPDATE m SET id = 2"),
                new Operation("truncate", "TRUNCATE {t}"),
                new Operation("truncate cascade", "TRUNCATE m CASCADE"));
    }

    @Override
    boolean isPossible(Operation operation, Road road) {
        if (operation.name().contains("cursor") && road.relation().equals("p")) {
            return false; // a cursor locks rows in one table
        }
        return !road.view() || Stream.of("copy", "truncate", "cursor").noneMatch(operation.name()::contains);
    }

    @Override
    boolean canLand(Operation operation) {
        return !operation.name().contains("truncate");
    }

    /** The last road but views, or the only one, is where row 42 is. */
    private static String home(Kind kind) {
        List<Road> tables = kind.roads().stream().filter(road -> !road.view()).toList();
        return tables.get(tables.size() - 1).relation();
    }

    private static String top(Kind kind) {
        return kind.roads().get(0).relation();
    }

    @Override
    void reset(Connection connection, Kind kind) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET session_replication_role = replica; DELETE FROM " + top(kind) + "; DELETE FROM m;"
                    + " INSERT INTO m VALUES (1); INSERT INTO " + home(kind) + " VALUES (42, 'new', 1);"
                    + " DELETE FROM fenceline_fences; INSERT INTO fenceline_fences"
                    + " SELECT 't/' || id, 'k', 34, 34, now() FROM (VALUES (42), (7), (142)) AS r (id);"
                    + " SET session_replication_role = origin");
        }
    }

    @Override
    String content(Connection connection, Kind kind) throws SQLException {
        return text(
                connection, "SELECT concat_ws(' ', tableoid::regclass, id, v, ref) FROM " + top(kind) + " ORDER BY id");
    }

    @Override
    String leaving() {
        return "DO $$ BEGIN PERFORM set_config('fenceline.stamp', pg_current_xact_id() || ':99 k', false); END $$";
    }

    @Override
    String showing(Stamp stamp) {
        return switch (stamp) {
            case NONE -> "RESET fenceline.stamp; ";
            case STALE -> stamped(33, "k");
            case FOREIGN -> stamped(99, "other");
            case MALFORMED ->
                "DO $$ BEGIN PERFORM set_config('fenceline.stamp', pg_current_xact_id() || ':k 99', true); END $$; ";
            case SAME -> stamped(34, "k");
            case FRESH -> stamped(35, "k");
            case LEFT_OVER -> "";
        };
    }

    private static String stamped(long token, String lockKey) {
        return PostgresTriggersTest.stamped(token, lockKey);
    }

    @Override
    String committing() {
        return "";
    }

    @Override
    boolean isRefusal(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("ZF00");
    }
}
