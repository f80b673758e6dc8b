package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names are taken for those of a table. */
class SqlNameTest {

    /** A comment of a script would end there, and the rest of the name be a statement. */
    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "sqlite"})
    void isNoNameThatEndsALine(String dialect) {
        for (String end : new String[] {"\n", "\r", "\u0000"}) {
            GuardedTable table = GuardedTable.of("\"x" + end + "DROP TABLE y; --\"", "id");

            assertThatThrownBy(() -> TriggerDialect.named(dialect).installation(table))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("control character");
        }
    }

    @Test
    void isFoldedOnPostgresqlAsThereInUtf8() {
        assertThat(PostgresTriggers.tableName("\u00c4RZTE.\"\u00c4RZTE\"").parts())
                .containsExactly("\u00c4rzte", "\u00c4RZTE");
    }
}
