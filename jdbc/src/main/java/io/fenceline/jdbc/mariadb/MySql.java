package io.fenceline.jdbc.mariadb;

/**
 * MySQL from version 8.0.29 on, with InnoDB. The statements and procedures are those of MariaDB, on which they are tested; no MySQL
 * was run.
 */
public final class MySql extends MariaDb {

    /** Creates the product; called by {@link java.util.ServiceLoader}. */
    public MySql() {
        super("MySQL", "mysql", false);
    }
}
