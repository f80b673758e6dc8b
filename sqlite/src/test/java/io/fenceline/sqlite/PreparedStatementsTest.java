package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PreparedStatementsTest {

    /** As by a disk that cannot be read for a moment: the driver closes a statement whose first step fails. */
    @Test
    void runAgainAfterAFailure() throws SQLException {
        try (PreparedStatements statements =
                new PreparedStatements(DriverManager.getConnection("jdbc:sqlite::memory:"))) {
            String magnitude = "SELECT abs(?1)";
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statements.one(magnitude, row -> row.getLong(1), Long.MIN_VALUE))
                    .withMessageContaining("overflow");

            assertThat(statements.one(magnitude, row -> row.getLong(1), -7L)).contains(7L);
        }
    }
}
