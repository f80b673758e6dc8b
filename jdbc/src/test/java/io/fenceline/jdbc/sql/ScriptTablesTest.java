package io.fenceline.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.jdbc.sql.ScriptTables.Found;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ScriptTablesTest {

    private static final ScriptTables TABLES = ScriptTables.of("""
            CREATE TABLE IF NOT EXISTS app.locks (
              lock_key varchar(9) NOT NULL PRIMARY KEY, -- in NFC
              fence    BIGINT NOT NULL DEFAULT 0
            );
            CREATE TABLE app.notes (
              lock_key varchar(9) NOT NULL,
              waiter   INT,
              PRIMARY KEY (lock_key, waiter)
            );""");

    private static final Map<String, String> LOCKS =
            Map.of("lock_key", "varchar(9) NOT NULL", "fence", "BIGINT NOT NULL");
    private static final Map<String, String> NOTES = Map.of("lock_key", "varchar(9) NOT NULL", "waiter", "INT");

    private static List<String> problems(Found locks, Found notes) {
        return TABLES.problems(table -> Optional.of(table.bareName().equals("locks") ? locks : notes));
    }

    @Test
    void thatAreAsTheyShouldBeHaveNoProblemInWhateverOrderTheKeyIsTold() {
        assertThat(problems(new Found(LOCKS, List.of("lock_key")), new Found(NOTES, List.of("waiter", "lock_key"))))
                .isEmpty();
        assertThat(TABLES.schema()).isEqualTo("app");
    }

    @Test
    void withoutTheirKeysAreToldSinceTwoRowsCouldBeOneLock() {
        assertThat(problems(new Found(LOCKS, List.of()), new Found(NOTES, List.of("lock_key"))))
                .containsExactly("the primary key of app.locks is missing", "the primary key of app.notes is missing");
    }

    @Test
    void thatAreMissingOrLackAColumnAreTold() {
        assertThat(TABLES.problems(table -> table.bareName().equals("locks")
                        ? Optional.of(new Found(Map.of("lock_key", "int"), List.of("lock_key")))
                        : Optional.empty()))
                .containsExactly(
                        "column lock_key of app.locks is int; it should be: varchar(9) NOT NULL",
                        "column fence of app.locks is missing; it should be: BIGINT NOT NULL",
                        "table app.notes is missing");
    }
}
