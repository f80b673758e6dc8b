package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GuardedTableTest {

    @Test
    @Tag("R10")
    void aRowIsNamedWithoutTheSchemaAndInLowerCase() {
        assertThat(GuardedTable.of("s.\"a\"\"B\"", "id").resource(1)).isEqualTo("a\"b/1");
    }
}
