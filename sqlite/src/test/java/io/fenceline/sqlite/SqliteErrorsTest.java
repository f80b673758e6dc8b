package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.sqlite.NativeLibraryNotFoundException;

class SqliteErrorsTest {

    /** As where the temporary folder is mounted noexec. */
    @Test
    void aLibraryThatCannotBeLoadedIsNoFaultOfTheStore() {
        SQLException first = new SQLException(
                "Error opening connection", new NativeLibraryNotFoundException("No native library found"));

        assertThat(SqliteErrors.ofWriting(Path.of("locks.db")).translate(first))
                .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                .hasMessageContaining("noexec");
    }
}
