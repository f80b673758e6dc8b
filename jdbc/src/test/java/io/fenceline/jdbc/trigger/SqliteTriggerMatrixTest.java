package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

class SqliteTriggerMatrixTest extends TriggerMatrix {

    private static final String COLUMNS =
            "(id INTEGER PRIMARY KEY, v TEXT, ref INTEGER REFERENCES m ON DELETE CASCADE ON UPDATE CASCADE)";

    @Override
    TriggerPlace newPlace() {
        return new SqlitePlace();
    }

    @Override
    String product() {
        return "sqlite";
    }

    private static Kind of(String name, String guarded, String table, String options, Road... more) {
        String view = "INSERT INTO " + table + " VALUES (NEW.id, NEW.v, NEW.ref)";
        return new Kind(
                name,
                guarded,
                List.of("CREATE TABLE m (id INTEGER PRIMARY KEY)", "CREATE TABLE " + table + ' ' + COLUMNS + options),
                List.of(
                        "CREATE VIEW w AS SELECT * FROM " + table,
                        "CREATE TRIGGER w_insert INSTEAD OF INSERT ON w BEGIN " + view + "; END",
                        "CREATE TRIGGER w_update INSTEAD OF UPDATE ON w BEGIN UPDATE " + table
                                + " SET id = NEW.id, v = NEW.v, ref = NEW.ref WHERE id = OLD.id; END",
                        "CREATE TRIGGER w_delete INSTEAD OF DELETE ON w BEGIN DELETE FROM " + table
                                + " WHERE id = OLD.id; END",
                        "CREATE TABLE events (n INT)",
                        "CREATE TRIGGER by_event AFTER INSERT ON events BEGIN UPDATE " + table
                                + " SET v = 'x' WHERE id = 42; END"),
                more.length == 0 ? List.of(Road.to(table), Road.through("w", true)) : List.of(more));
    }

    @Override
    List<Kind> kinds() {
        return List.of(
                of("plain", "t", "t", ""),
                of("without rowid", "t", "t", " WITHOUT ROWID"),
                of("strict", "t", "t", " STRICT"),
                of("quoted", "\"The T\"", "\"The T\"", ""),
                of("named in another case", "TK", "tk", "", Road.to("tk"), Road.to("\"TK\""), Road.to("main.Tk")));
    }

    @Override
    List<Operation> operations() {
        return List.of(
                new Operation("insert", "INSERT INTO {t} VALUES (7, 'x', 1)"),
                new Operation("insert select", "INSERT INTO {t} SELECT 7, 'x', id FROM m"),
                new Operation("insert or ignore", "INSERT OR IGNORE INTO {t} VALUES (7, 'x', 1)"),
                new Operation("replace", "REPLACE INTO {t} VALUES (42, 'x', 1)"),
                new Operation(
                        "upsert", "INSERT INTO {t} VALUES (42, 'x', 1) ON CONFLICT (id) DO UPDATE SET v = excluded.v"),
                new Operation("update", "UPDATE {t} SET v = 'x' WHERE id = 42"),
                new Operation("update or replace", "UPDATE OR REPLACE {t} SET v = 'x' WHERE id = 42"),
                new Operation("update from", "UPDATE {t} SET v = 'x' FROM m WHERE m.id = ref"),
                new Operation("update of the key", "UPDATE {t} SET id = 7 WHERE id = 42"),
                new Operation("delete", "DELETE FROM {t} WHERE id = 42"),
                new Operation("delete all", "DELETE FROM {t}"),
                new Operation(
                        "update with a CTE",
                        "WITH c AS (SELECT 42 AS i) UPDATE {t} SET v = 'x' WHERE id IN (SELECT i FROM c)"),
                new Operation("update in a trigger", "INSERT INTO events VALUES (1)"),
                new Operation("cascaded delete", "DELETE FROM m"),
                new Operation("cascaded update", "UPDATE m SET id = 2"));
    }

    /** REPLACE and upserts have no conflict in a view, whose trigger then inserts what is there. */
    @Override
    boolean isPossible(Operation operation, Road road) {
        return !road.view() || !List.of("replace", "upsert").contains(operation.name());
    }

    @Override
    void reset(Connection connection, Kind kind) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "BEGIN; INSERT INTO fenceline_stamp (token, lock_key) VALUES (900000000000000, 'k');"
                            + " UPDATE fenceline_fences SET lock_key = 'k', highest = 34, written = 34; DELETE FROM "
                            + kind.roads().get(0).relation()
                            + "; DELETE FROM m; INSERT INTO m VALUES (1); INSERT INTO "
                            + kind.roads().get(0).relation() + " VALUES (42, 'new', 1); DELETE FROM fenceline_stamp;"
                            + " INSERT OR REPLACE INTO fenceline_fences"
                            + " SELECT 't/' || column1, 'k', 34, 34, 0 FROM (VALUES (42), (7), (142)); COMMIT");
        }
    }

    @Override
    String content(Connection connection, Kind kind) throws SQLException {
        return text(
                connection, "SELECT id || v || ref FROM " + kind.roads().get(0).relation() + " ORDER BY id");
    }

    @Override
    String leaving() {
        return "BEGIN; INSERT INTO fenceline_stamp (token, lock_key) VALUES (99, 'k'); COMMIT";
    }

    @Override
    String showing(Stamp stamp) {
        return switch (stamp) {
            case NONE -> "";
            case STALE -> stamped("33", "k");
            case FOREIGN -> stamped("99", "other");
            case MALFORMED -> stamped("'k'", "99");
            case SAME -> stamped("34", "k");
            case FRESH -> stamped("35", "k");
            case LEFT_OVER -> "";
        };
    }

    private static String stamped(String token, String lockKey) {
        return "INSERT INTO fenceline_stamp (token, lock_key) VALUES (" + token + ", '" + lockKey + "'); ";
    }

    @Override
    String committing() {
        return "DELETE FROM fenceline_stamp; ";
    }

    /** A malformed stamp is refused by the table of the stamp. */
    @Override
    boolean isRefusal(SQLException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("fenceline: ")
                || message.contains("CHECK constraint failed: typeof(token)")
                || message.contains("FOREIGN KEY");
    }
}
