package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

class PostgresErrorsTest {

    private static final String STRANGER = "what listens there does not answer as PostgreSQL does";

    private final PostgresErrors errors = new PostgresErrors();

    @Test
    void anAnswerThatTheDriverCannotReadIsNotFromPostgresql() {
        BackendException told = errors.unreachable(new PSQLException("Protocol error.", PSQLState.PROTOCOL_VIOLATION));

        assertThat(told).hasMessageContaining(STRANGER);
    }

    @Test
    void anErrorOfPgBouncerIsToldInItsWords() {
        ServerErrorMessage sent = new ServerErrorMessage("SFATAL\0C08P01\0Mno such user: jo\0");

        BackendException told = errors.unreachable(new PSQLException(sent));

        assertThat(told).hasMessageNotContaining(STRANGER).hasStackTraceContaining("no such user: jo");
    }

    /** It has lost its server, which may have committed, as may a server that is being stopped. */
    @ParameterizedTest
    @ValueSource(strings = {"08P01", "58000", "XX000", "57P01", "57P02"})
    @Tag("G10")
    void whatAPoolerSaysOfACommitIsNoRefusal(String state) {
        ServerErrorMessage sent = new ServerErrorMessage("SFATAL\0C" + state + "\0Mserver conn crashed?\0");

        assertThat(errors.failed(new PSQLException(sent), Effect.UNKNOWN).effect())
                .isEqualTo(Effect.UNKNOWN);
    }
}
