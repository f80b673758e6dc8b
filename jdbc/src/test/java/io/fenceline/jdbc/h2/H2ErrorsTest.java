package io.fenceline.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.Effect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Failures of H2's own: a refused statement changed nothing, and one that a closed database broke off may have. */
@Tag("G10")
class H2ErrorsTest {

    @Test
    void tellWhetherTheStatementMayHaveHadAnEffect() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThat(effectOf(connection, "DELETE FROM not_there")).isEqualTo(Effect.NONE);
            connection.createStatement().execute("SHUTDOWN");
            assertThat(effectOf(connection, "SELECT 1")).isEqualTo(Effect.UNKNOWN);
        }
    }

    private static Effect effectOf(Connection connection, String sql) {
        SQLException failure = catchThrowableOfType(
                SQLException.class, () -> connection.createStatement().execute(sql));
        return new H2Errors().failed(failure, Effect.UNKNOWN).effect();
    }
}
