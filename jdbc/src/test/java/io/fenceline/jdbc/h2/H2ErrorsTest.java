package io.fenceline.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void ofAFullDiskAreToldAsOneAndMayHaveHadAnEffect(@TempDir Path folder) throws SQLException {
        FullDisk.register();
        Connection connection =
                DriverManager.getConnection("jdbc:h2:full:" + folder.resolve("store") + ";WRITE_DELAY=0");
        connection.createStatement().execute("CREATE TABLE stored (id INT)");
        FullDisk.FULL.set(true);

        BackendException failure = failureOf(connection, "INSERT INTO stored VALUES (1)");
        BackendException afterwards = failureOf(connection, "INSERT INTO stored VALUES (2)");

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FULL);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(afterwards.code().isTransient()).isTrue();
        FullDisk.FULL.set(false);
        var unused = catchThrowable(connection::close);
    }

    @Test
    void ofAStorageThatWasClosedMeanwhileAreAnOutage() {
        SQLException closed = new SQLException(
                "General error: \"org.h2.mvstore.MVStoreException: This store is closed [2.5.252/4]\"", "HY000", 50000);

        BackendException told = new H2Errors().failed(closed, Effect.UNKNOWN);

        assertThat(told.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(told.effect()).isEqualTo(Effect.UNKNOWN);
    }

    private static Effect effectOf(Connection connection, String sql) {
        return failureOf(connection, sql).effect();
    }

    private static BackendException failureOf(Connection connection, String sql) {
        SQLException failure = catchThrowableOfType(
                SQLException.class, () -> connection.createStatement().execute(sql));
        return new H2Errors().failed(failure, Effect.UNKNOWN);
    }
}
