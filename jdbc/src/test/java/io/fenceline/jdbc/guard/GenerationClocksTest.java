package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.guard.GenerationClock;
import io.fenceline.testkit.GenerationClockContract;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteConfig.JournalMode;

/** The clock on each database, and at the isolation level that refuses most. */
@Timeout(120)
class GenerationClocksTest {

    private GuardPlace place;

    @AfterEach
    void close() {
        place.close();
    }

    private GenerationClock rowsIn(GuardPlace newPlace) {
        place = newPlace;
        SqlGenerationClock clock = SqlGenerationClock.on(place.source(), place.options());
        clock.schema().installSchema();
        return clock;
    }

    @Nested
    class RowsOnPostgres extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null ? rowsIn(new PostgresPlace()) : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "MariaDB", "SQLite", "H2"})
    void tellsHowItsTableIsMade(String product) {
        place = switch (product) {
            case "PostgreSQL" -> new PostgresPlace();
            case "MariaDB" -> new MariaDbPlace();
            case "SQLite" -> new SqlitePlace();
            default -> new H2Place();
        };
        SqlGenerationClock clock = SqlGenerationClock.on(place.source(), place.options());

        assertThatThrownBy(() -> clock.next("x"))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("SqlGenerationClock.on(dataSource).schema().installSchema()")
                .hasMessageNotContaining("fenceline schema");
    }

    /** SQLite commits a statement by itself after its last row, and can do so alone only. */
    @Test
    void givesNoNumberBesideAReaderWhoKeepsSqliteFromCommitting() throws SQLException {
        place = new SqlitePlace(JournalMode.DELETE, 1);
        SqlGenerationClock clock =
                SqlGenerationClock.on(place.source(), place.options().withRetries(1));
        clock.schema().installSchema();
        FencingToken before = clock.next("x");
        try (Connection connection = place.source().getConnection();
                Statement reading = connection.createStatement();
                ResultSet rows = reading.executeQuery("SELECT 1 FROM sqlite_master")) {
            rows.next();

            assertThatExceptionOfType(BackendException.class).isThrownBy(() -> clock.next("x"));
        }
        assertThat(clock.next("x").isNewerThan(before)).isTrue();
    }

    @Nested
    class RowsOnPostgresAtSerializable extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null
                    ? rowsIn(new PostgresPlace("serializable"))
                    : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @Nested
    class RowsOnSqlite extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null ? rowsIn(new SqlitePlace()) : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @Nested
    class RowsOnMariaDb extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null ? rowsIn(new MariaDbPlace()) : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @Nested
    class RowsOnMariaDbAtSerializable extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null
                    ? rowsIn(new MariaDbPlace("TRANSACTION_SERIALIZABLE"))
                    : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @Nested
    class RowsOnH2 extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null ? rowsIn(new H2Place()) : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @Nested
    class RowsOnH2AtSerializable extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            return place == null
                    ? rowsIn(new H2Place("TRANSACTION_SERIALIZABLE"))
                    : SqlGenerationClock.on(place.source(), place.options());
        }
    }

    @Nested
    class Sequences extends GenerationClockContract {
        @Override
        protected GenerationClock openClock() {
            place = place == null ? new PostgresPlace() : place;
            return SequenceGenerationClock.on(place.source()).withPrefix(place.in("clock_"));
        }
    }
}
