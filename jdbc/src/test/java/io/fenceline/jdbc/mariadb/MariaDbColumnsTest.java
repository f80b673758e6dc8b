package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Types;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What MariaDB's driver calls a number, and what keys of rows are compared as. */
class MariaDbColumnsTest {

    /** So the driver has it with {@code yearIsDateType=false}; 26 is the row of 2026. */
    @Test
    @Tag("R10")
    void aYearIsNoNumber() {
        MariaDbFenceDialect dialect = new MariaDbFenceDialect("MariaDB");

        assertThat(dialect.columnType(Types.SMALLINT, "YEAR")).isEqualTo(Types.OTHER);
        assertThat(dialect.columnType(Types.SMALLINT, "SMALLINT")).isEqualTo(Types.SMALLINT);
    }
}
