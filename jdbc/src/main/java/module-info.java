/** Fenceline on relational databases. */
@org.jspecify.annotations.NullMarked
module io.fenceline.jdbc {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive java.sql;
    requires static org.xerial.sqlitejdbc;
    requires static org.postgresql.jdbc;

    exports io.fenceline.jdbc;
    exports io.fenceline.jdbc.sqlite;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.jdbc.sqlite.SqliteBackendProvider;
}
