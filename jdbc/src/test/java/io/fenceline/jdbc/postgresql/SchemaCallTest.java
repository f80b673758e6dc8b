package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.testkit.ManualTime;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of a function, and of the statement that does the same. */
class SchemaCallTest {

    private final ManualTime time = new ManualTime();
    private final SchemaCall call = new SchemaCall(time);
    private @Nullable String state = "";
    private int calls;

    @ParameterizedTest
    @ValueSource(strings = {"42883", "42P01", "42501"})
    void isNotMadeForAMinuteAfterItWasRefused(String refusal) throws SQLException {
        state = refusal;
        assertThat(ask()).isEqualTo("statement");
        state = "";
        time.advance(Duration.ofSeconds(59));
        assertThat(ask()).isEqualTo("statement");
        assertThat(calls).isOne();

        time.advance(Duration.ofSeconds(2));
        assertThat(ask()).isEqualTo("function");
        assertThat(ask()).isEqualTo("function");
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void isMadeAgainIfTheStatementIsRefusedAsWell() throws SQLException {
        state = "42501";
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> call.run(this::function, () -> {
                    throw new SQLException("no right to the table", "42501");
                }));

        state = "";
        assertThat(ask()).isEqualTo("function");
    }

    @Test
    void passesOtherErrorsOn() {
        state = "40001";

        assertThatExceptionOfType(SQLException.class).isThrownBy(this::ask);

        state = null;
        assertThatExceptionOfType(SQLException.class).isThrownBy(this::ask);
    }

    private String ask() throws SQLException {
        return call.run(this::function, () -> "statement");
    }

    private String function() throws SQLException {
        calls++;
        if (state == null || !state.isEmpty()) {
            throw new SQLException("refused", state);
        }
        return "function";
    }
}
