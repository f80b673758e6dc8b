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

    /** As a claim has it: names that look alike are one. */
    @Test
    @Tag("R10")
    void aRowHasOneNameHoweverTheTablesLettersAreComposed() {
        assertThat(GuardedTable.of("A\u0308x", "id").resource(1)).isEqualTo("\u00e4x/1");
        assertThat(GuardedTable.of("orders", "id").withPrefix("o\u0308/").prefix())
                .isEqualTo("\u00f6/");
    }
}
